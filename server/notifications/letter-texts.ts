import type { Language } from "@/server/base/language";
import type { NotificationType } from "@/server/domain/enums";
import type { LetterValues } from "./letter-values";

/** An event's data as it is sent: money in decimals. */
export type Data = Readonly<Record<string, unknown>>;

type EventMessage = { title: string; detail: string };
type Say = (data: Data, as: LetterValues) => EventMessage;

type EmailTexts = {
  events: Record<NotificationType, Say>;
  colon: string;
  others: (count: number) => string;
  more: (count: number) => string;
  open: string;
  why: (email: string) => string;
  change: string;
  leave: string;
};

const en: EmailTexts = {
  events: {
    "quota.threshold": ({ percent, used, available, period }, as) => ({
      title: `${percent}% of the quota for ${as.period(period)} is used`,
      detail: `${as.money(used)} is used. ${as.money(available)} is available.`,
    }),
    "key.cap_threshold": ({ percent, key, spent, cap, period, window }, as) => ({
      title: `API key “${key}” has used ${percent}% of its cap for ${window === "week" ? "the week of " : ""}${as.period(period)}`,
      detail: `${as.money(spent)} of ${as.money(cap)} is used.`,
    }),
    "daily_limit.threshold": ({ percent, spent, limit, period }, as) => ({
      title: `${percent}% of the daily limit for ${as.period(period)} is used`,
      detail: `${as.money(spent)} of ${as.money(limit)} is used.`,
    }),
    "spend.anomaly": ({ hours, spent, usual }, as) => ({
      title: `Unusual spend: ${as.money(spent)} in ${hours} hours`,
      detail: `A usual day is about ${as.money(usual)}. If this is unexpected, check which API key and model it comes from.`,
    }),
    "video.completed": ({ task_id, model, charged }, as) => ({
      title: "A video is ready",
      detail: `${task_id} (${model}), charged ${as.money(charged)}.`,
    }),
    "video.failed": ({ task_id, model, error }) => ({
      title: "A video failed",
      detail: `${task_id} (${model}): ${error ?? "error"}. Nothing was charged.`,
    }),
    "channel.failing": ({ channel, attempts, failed, minutes, accounts, last_status }) => ({
      title: `Channel “${channel}” is failing`,
      detail:
        `${failed} of ${attempts} attempts in ${minutes} minutes failed, affecting ${accounts} accounts. ` +
        `${last_status === null ? "The last attempt got no response." : `The last attempt got status ${last_status}.`}`,
    }),
    "channel.recovered": ({ channel, failing_since }, as) => ({
      title: `Channel “${channel}” has recovered`,
      detail: `It had been failing since ${as.moment(failing_since)}.`,
    }),
    "channel.models_changed": ({ channel, added, removed, models }) => ({
      title: `The vendor of “${channel}” changed its models: ${added} new, ${removed} removed`,
      detail: `${models}. Nothing was put on sale or removed.`,
    }),
    "webhook.test": () => ({ title: "Test", detail: "" }),
    "mail.test": () => ({ title: "Test email", detail: "You can receive email alerts." }),
  },
  colon: ": ",
  others: (count) => ` (+${count} more)`,
  more: (count) => `${count} more events happened. See them in the console.`,
  open: "Open in the console",
  why: (email) => `Email alerts are on for ${email}.`,
  change: "Choose alerts",
  leave: "Unsubscribe",
};

const zh: EmailTexts = {
  events: {
    "quota.threshold": ({ percent, used, available, period }, as) => ({
      title: `${as.period(period)}的额度已用 ${percent}%`,
      detail: `已用 ${as.money(used)}，可用 ${as.money(available)}。`,
    }),
    "key.cap_threshold": ({ percent, key, spent, cap, period, window }, as) => ({
      title: `API Key“${key}”已用${as.period(period)}${window === "week" ? "当周" : ""}上限的 ${percent}%`,
      detail: `上限 ${as.money(cap)}，已用 ${as.money(spent)}。`,
    }),
    "daily_limit.threshold": ({ percent, spent, limit, period }, as) => ({
      title: `${as.period(period)}的每日消费上限已用 ${percent}%`,
      detail: `上限 ${as.money(limit)}，已用 ${as.money(spent)}。`,
    }),
    "spend.anomaly": ({ hours, spent, usual }, as) => ({
      title: `消费异常：${hours} 小时内消费 ${as.money(spent)}`,
      detail: `平时每天约 ${as.money(usual)}。如非预期，请查看是哪个 API Key 和模型。`,
    }),
    "video.completed": ({ task_id, model, charged }, as) => ({
      title: "视频已生成",
      detail: `${task_id}（${model}），扣费 ${as.money(charged)}。`,
    }),
    "video.failed": ({ task_id, model, error }) => ({
      title: "视频生成失败",
      detail: `${task_id}（${model}）：${error ?? "error"}。未产生费用。`,
    }),
    "channel.failing": ({ channel, attempts, failed, minutes, accounts, last_status }) => ({
      title: `渠道“${channel}”出现故障`,
      detail:
        `最近 ${minutes} 分钟的 ${attempts} 次尝试中有 ${failed} 次失败，涉及 ${accounts} 个账号。` +
        `${last_status === null ? "最后一次没有收到响应。" : `最后一次的状态码为 ${last_status}。`}`,
    }),
    "channel.recovered": ({ channel, failing_since }, as) => ({
      title: `渠道“${channel}”已恢复`,
      detail: `故障始于 ${as.moment(failing_since)}。`,
    }),
    "channel.models_changed": ({ channel, added, removed, models }) => ({
      title: `渠道“${channel}”的供应商模型有变：新增 ${added} 个，下线 ${removed} 个`,
      detail: `${models}。在售模型未作任何更改。`,
    }),
    "webhook.test": () => ({ title: "测试", detail: "" }),
    "mail.test": () => ({ title: "测试邮件", detail: "你可以收到邮件提醒。" }),
  },
  colon: "：",
  others: (count) => `（另有 ${count} 条）`,
  more: (count) => `另有 ${count} 个事件，请在控制台查看。`,
  open: "在控制台查看",
  why: (email) => `${email} 已开启邮件提醒。`,
  change: "提醒设置",
  leave: "退订",
};

/** The texts of e-mails in each language. */
export const letterTexts: Record<Language, EmailTexts> = { en, zh };
