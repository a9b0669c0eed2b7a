/** E-mails with a link to set a password. They are sent at once: the link is stored nowhere, so no queue can have it. */
import type { Config } from "@/server/base/config";
import type { Language } from "@/server/base/language";
import { newId } from "@/server/domain/ids";
import { oneLine } from "./event-mail";
import { type Email, layOut } from "./layout";
import type { DeliveryOutcome } from "./queue";
import { createPost, serverOf } from "./smtp";

/** `invitation`: the first one. `reset`: another person removed the password. `requested`: the user has asked for it. */
export type LinkKind = "invitation" | "reset" | "requested";

/** `by`: the person who sends it; null: a command or a program. */
export type LinkMail = { kind: LinkKind; to: string; language: Language; url: string; by: string | null };

type LinkTexts = Record<
  LinkKind,
  { subject: string; detail: (to: string, by: string | null) => string[]; action: string }
> & { why: (to: string) => string };

const texts: Record<Language, LinkTexts> = {
  en: {
    invitation: {
      subject: "You are invited to Tollgate",
      detail: (to, by) => [
        `${by === null ? "You have been invited" : `${by} has invited you`} to Tollgate, a gateway to AI models. Set a password to sign in as ${to}.`,
        "The link works once, within 24 hours.",
      ],
      action: "Set password",
    },
    reset: {
      subject: "Set a new password",
      detail: (to, by) => [
        `${by ?? "An admin"} has reset the password for ${to}. The old one no longer works, and you are signed out everywhere.`,
        "The link works once, within 24 hours.",
      ],
      action: "Set new password",
    },
    requested: {
      subject: "Reset your password",
      detail: (to) => [
        `Someone asked to reset the password for ${to}. The link works once, within an hour.`,
        "If it was not you, ignore this email: your password stays as it is.",
      ],
      action: "Set new password",
    },
    why: (to) => `This email was sent to ${to} for its Tollgate sign-in.`,
  },
  zh: {
    invitation: {
      subject: "邀请你使用 Tollgate",
      detail: (to, by) => [
        `${by === null ? "你已受邀" : `${by} 邀请你`}使用 AI 模型网关 Tollgate。设置密码后，即可用 ${to} 登录。`,
        "链接 24 小时内有效，仅可使用一次。",
      ],
      action: "设置密码",
    },
    reset: {
      subject: "设置新密码",
      detail: (to, by) => [
        `${by ?? "管理员"} 已重置 ${to} 的密码。原密码已失效，所有设备均已退出登录。`,
        "链接 24 小时内有效，仅可使用一次。",
      ],
      action: "设置新密码",
    },
    requested: {
      subject: "重置密码",
      detail: (to) => [
        `我们收到了重置 ${to} 密码的请求。链接 1 小时内有效，仅可使用一次。`,
        "如非本人操作，请忽略此邮件，密码不会改变。",
      ],
      action: "设置新密码",
    },
    why: (to) => `此邮件发送至 ${to}，用于登录 Tollgate。`,
  },
};

/** Pure. */
export function writeLink({ kind, to, language, url, by }: LinkMail): Email {
  const { [kind]: own, why } = texts[language];
  const detail = own.detail(to, by === null ? null : oneLine(by));
  return layOut({
    language,
    subject: own.subject,
    items: [{ title: own.subject, detail, action: { label: own.action, url } }],
    footer: { text: why(to), links: [] },
  });
}

/** Sends the link. `patienceMs`: shorter than the usual attempt. null: there is no SMTP server. Does not throw. */
export async function mailLink(
  config: Pick<Config, "SMTP_URL" | "MAIL_FROM">,
  mail: LinkMail,
  patienceMs?: number,
): Promise<DeliveryOutcome | null> {
  const server = serverOf(config);
  return (
    server &&
    (await createPost(server).send({ ...writeLink(mail), id: newId("msg"), to: mail.to }, patienceMs))
  );
}
