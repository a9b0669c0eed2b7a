import { issueLink, linkPath } from "@/server/access";
import { publicAddress } from "@/server/base/own-address";
import { type LinkKind, mailLink } from "@/server/notifications";
import type { TxContext } from "./operation";

/** A link by which a user sets their password. `isMailed`: it is on its way to them. */
export type Invitation = { email: string; url: string; expiresAt: Date; isMailed: boolean };

type Invited = {
  id: string;
  email: string;
  accountId: string | null;
  language: TxContext["language"] | null;
};

/** The sender waits for the answer, which has the link in any case. */
const PATIENCE_MS = 10_000;

/**
 * Makes a link, and returns how it is handed out after the commit: by e-mail if there is an SMTP server and the user has
 * not got several just now, and in the answer in any case. Only this answer contains the link. Throws Refusal.
 */
export async function invite(
  { db, origin, config, identity, actor, language: ours }: TxContext,
  { id, email, accountId, language }: Invited,
  kind: LinkKind = "invitation",
): Promise<() => Promise<Invitation>> {
  const { token, expiresAt } = await issueLink(db, id);
  const path = linkPath(token);
  const url = `${origin}${path}`;
  // The sender's request may name any host as ours. Its own answer may have that; an e-mail of ours must not.
  const mailed = `${publicAddress(config)}${path}`;
  const by = actor.userId === null ? null : actor.name;
  return async () => {
    const mail = { kind, to: email, language: language ?? ours, url: mailed, by };
    const isSent = config.SMTP_URL !== undefined && (await identity.attempts.mayMail({ email, accountId }));
    const outcome = isSent ? await mailLink(config, mail, PATIENCE_MS) : null;
    return { email, url, expiresAt, isMailed: outcome?.isDelivered === true };
  };
}
