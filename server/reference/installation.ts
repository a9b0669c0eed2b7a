/** The part of a page about the installation that serves it, as Markdown. */
import { both, type Language, type Texts } from "@/server/base/language";

type Place = {
  currency: string;
  billingTimeZone: string;
  limits: Record<keyof typeof limits, number>;
};

const limits = {
  firstByteSeconds: both(
    "等待上游首个字节，最长（秒）",
    "Longest wait for an upstream's first byte, in seconds",
  ),
  silenceSeconds: both("流式响应两次数据之间，最长（秒）", "Longest silence within a stream, in seconds"),
  videoCallsPerMinute: both(
    "视频接口每个 API Key 每分钟的请求数，提交和查询分开计算",
    "Calls for videos a minute for each key, submissions and status queries separately",
  ),
  videoMinutes: both("视频任务时长，最长（分钟）", "Longest time of a video task, in minutes"),
  responseDays: both(
    "保存的响应和对话保留（天）",
    "Days for which stored responses and conversations are kept",
  ),
  requestLogDays: both("控制台的请求记录保留（天）", "Days for which the console lists requests"),
} satisfies Record<string, Texts>;

const words = {
  item: both("本站设置", "At this installation"),
  value: both("值", "Value"),
  currency: both("币种：价格、余额和费用", "Currency of prices, balances and costs"),
  zone: both("计费时区：每月、每天从零点开始", "Time zone in whose midnight billing months and days begin"),
};

export const installationText = (language: Language, place: Place): string =>
  [
    `| ${words.item[language]} | ${words.value[language]} |`,
    "| --- | --- |",
    `| ${words.currency[language]} | ${place.currency} |`,
    `| ${words.zone[language]} | ${place.billingTimeZone} |`,
    ...Object.entries(limits).map(
      ([name, text]) => `| ${text[language]} | ${place.limits[name as keyof typeof limits]} |`,
    ),
  ].join("\n");
