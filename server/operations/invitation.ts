import { issueLink, linkPath } from "@/server/access";
import type { TxContext } from "./operation";

/** A link by which a user sets their password. */
export type Invitation = { email: string; url: string; expiresAt: Date };

type Invited = { id: string; email: string };

/** Only this answer contains the link. Throws Refusal. */
export async function invite({ db, origin }: TxContext, { id, email }: Invited): Promise<Invitation> {
  const { token, expiresAt } = await issueLink(db, id);
  return { email, url: `${origin}${linkPath(token)}`, expiresAt };
}

/** How a user that a command adds signs in: null for the password that the command gave. */
export const wayIn = async (
  call: TxContext,
  user: Invited,
  password: string | undefined,
): Promise<Invitation | null> => (password === undefined ? await invite(call, user) : null);
