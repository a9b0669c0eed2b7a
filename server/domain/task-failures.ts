import type { Language, Texts } from "@/server/base/language";

/**
 * Why a task failed, with our own texts. A row stores the Chinese text. A vendor's own words are in no table and are
 * shown unchanged.
 */
export const failures = {
  timeout: {
    zh: "视频生成超时,已退还冻结的额度",
    en: "The video timed out; the hold was released",
  },
  noChannel: { zh: "没有上游渠道接受该任务", en: "No upstream channel accepted the task" },
  noFile: { zh: "上游未返回视频文件", en: "The upstream returned no video file" },
  taskLost: { zh: "上游已没有该任务", en: "The upstream no longer has the task" },
  notSubmitted: { zh: "任务未能提交到上游", en: "The task could not be submitted to an upstream" },
  submissionUnknown: {
    zh: "提交结果未知,已退还冻结的额度",
    en: "The result of the submission is unknown; the hold was released",
  },
  unexplained: { zh: "视频生成失败", en: "The video failed" },
  upstreamExpired: { zh: "上游任务已过期", en: "The upstream's task has expired" },
  upstreamFailed: { zh: "上游生成失败", en: "The upstream failed to generate the video" },
  cancelled: { zh: "视频任务已取消,未收取费用", en: "The video was cancelled and nothing was charged" },
  contentPolicy: { zh: "视频内容未通过上游审核", en: "The video was rejected by the upstream's moderation" },
  upstreamSilent: { zh: "上游未说明原因", en: "The upstream gave no reason" },
  sandboxFailed: {
    zh: "沙箱按提示词 [fail] 让该任务失败",
    en: "The sandbox failed the task because its prompt contains [fail]",
  },
} satisfies Record<string, Texts>;

const byChinese = new Map<string, Texts>(Object.values(failures).map((texts) => [texts.zh, texts]));

/** A task's stored message in the reader's language. */
export const failureIn = (language: Language, message: string): string =>
  byChinese.get(message)?.[language] ?? message;
