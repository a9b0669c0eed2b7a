import { issueLink, linkPath } from "@/server/access";
import type { Call } from "./operation";

/** A link by which somebody sets their password. */
export type Invitation = { email: string; url: string; expiresAt: Date };

type Invited = { id: string; email: string };

/** The link is in this answer and nowhere else. Throws Refusal. */
export async function invite({ db, origin }: Call, { id, email }: Invited): Promise<Invitation> {
  const { token, expiresAt } = await issueLink(db, id);
  return { email, url: `${origin}${linkPath(token)}`, expiresAt };
}

/** How somebody gets in whom a command lets in: null for the password that it gave. */
export const wayIn = async (
  call: Call,
  user: Invited,
  password: string | undefined,
): Promise<Invitation | null> => (password === undefined ? await invite(call, user) : null);
