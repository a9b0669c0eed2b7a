/** Sends e-mails through an SMTP server. The only file here that knows the library. */
import type { Config } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import type { Email } from "./layout";
import { type DeliveryOutcome, LEASE_MS, problemOf } from "./queue";

const STEP_MS = 15_000;
/** Less than the lease: an e-mail that takes longer is claimed again. */
const ATTEMPT_MS = LEASE_MS * 0.75;

/** `url`: as `smtps://user:password@host:465`. */
export type MailServer = { url: string; from: string };

/** null: no SMTP server, so no e-mails are sent. */
export const serverOf = ({
  SMTP_URL,
  MAIL_FROM,
}: Pick<Config, "SMTP_URL" | "MAIL_FROM">): MailServer | null =>
  SMTP_URL === undefined || MAIL_FROM === undefined ? null : { url: SMTP_URL, from: MAIL_FROM };

/**
 * `id`: the same for each attempt, so that mail programs recognise repeats. `unsubscribeUrl`: of RFC 8058, for e-mails
 * that their reader can leave: a POST there unsubscribes.
 */
type Addressed = Email & { id: string; to: string; unsubscribeUrl?: string };

/** `patienceMs`: less than the default, where a person waits. */
export type Mailer = { send: (mail: Addressed, patienceMs?: number) => Promise<DeliveryOutcome> };

/** Whether the SMTP server refused this e-mail or its recipient for good: 5xx in answer to either. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  "responseCode" in error &&
  Number(error.responseCode) >= 500 &&
  "command" in error &&
  ["RCPT TO", "DATA"].includes(String(error.command));

const answerOf = (error: unknown): number | null =>
  error instanceof Error && "responseCode" in error ? Number(error.responseCode) : null;

/** One connection for each e-mail, because e-mails are few. TLS is required unless the URL says `?requireTLS=false`. */
export function createPost({ url, from }: MailServer): Mailer {
  const options = {
    ...{ url, requireTLS: true },
    ...{ connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, socketTimeout: STEP_MS, dnsTimeout: STEP_MS },
    // An e-mail is text: nothing in it may load content from elsewhere.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
  const open = async () => {
    // Loaded with the first e-mail: it takes 40 ms of a start's processor time, and most processes send none.
    const { createTransport } = await import("nodemailer");
    return createTransport(options);
  };
  let transport: ReturnType<typeof open> | undefined;
  const host = new URL(url).hostname;
  return {
    send: async ({ id, to, unsubscribeUrl, subject, text, html }, patienceMs = ATTEMPT_MS) => {
      transport ??= open();
      const sending = (await transport).sendMail({
        ...{ from, to: { name: "", address: to }, subject, text, html },
        messageId: `<${id}@${host}>`,
        headers: {
          "Auto-Submitted": "auto-generated",
          ...(unsubscribeUrl !== undefined && {
            "List-Unsubscribe": `<${unsubscribeUrl}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
        },
      });
      try {
        const result = await withinMs(sending, patienceMs);
        return result === null
          ? { isDelivered: false, answered: null, problem: "the server took too long" }
          : { isDelivered: true, answered: 250, problem: null };
      } catch (error) {
        const isFinal = isRefusal(error);
        return { isDelivered: false, isFinal, answered: answerOf(error), problem: problemOf(error) };
      }
    },
  };
}
