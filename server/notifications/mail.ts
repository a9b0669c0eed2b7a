/** Telling people by e-mail: what happened within a few minutes goes into one letter. */
import { and, asc, eq, exists, gt, inArray, lte, sql } from "drizzle-orm";
import { findAccountNames } from "@/server/access";
import type { Clock } from "@/server/base/clock";
import { toldTypes } from "@/server/base/facts";
import type { AccountId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Told, write } from "./letter";
import { LEASE_MS, settle } from "./queue";
import type { Post } from "./smtp";

const { deliveries, mailRecipients, users } = tables;

/** Nobody is sent another before: twelve letters an hour at most. What happens meanwhile is in the next one. */
const QUIET_MS = 5 * 60_000;
/** Nobody wants to read of what is older. */
export const STALE_MS = 3 * 24 * 3_600_000;
/** In a letter. */
const BATCH = 500;

export type MailDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  post: Post;
  /** Where the console is: `https://host`. */
  origin: string;
  currency: string;
};

/** Whose turn it is, and what they are to be told: for one process, as long as its lease lasts. null: nobody's. */
async function claimNext(db: Db, now: Date) {
  return await transaction(db, async (tx) => {
    const orm = ormOf(tx);
    const isDue = and(
      // What a later release tells of is for its own servers to write.
      inArray(deliveries.type, toldTypes),
      lte(deliveries.dueAt, now),
      gt(deliveries.createdAt, new Date(now.getTime() - STALE_MS)),
    );
    const [reader] = await orm
      .select({
        userId: mailRecipients.userId,
        language: mailRecipients.language,
        email: users.email,
        accountId: users.accountId,
      })
      .from(mailRecipients)
      .innerJoin(users, eq(users.id, mailRecipients.userId))
      .where(
        and(
          lte(mailRecipients.quietUntil, now),
          eq(users.status, "active"),
          exists(
            orm
              .select({ one: sql`1` })
              .from(deliveries)
              .where(and(isDue, eq(deliveries.userId, mailRecipients.userId))),
          ),
        ),
      )
      .orderBy(asc(mailRecipients.quietUntil))
      .limit(1)
      .for("update", { of: mailRecipients, skipLocked: true });
    if (!reader) {
      return null;
    }
    const { userId } = reader;
    await orm
      .update(mailRecipients)
      .set({ quietUntil: new Date(now.getTime() + QUIET_MS) })
      .where(eq(mailRecipients.userId, userId));
    const due = orm
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(isDue, eq(deliveries.userId, userId)))
      .orderBy(asc(deliveries.id))
      .limit(BATCH);
    const claims = await orm
      .update(deliveries)
      .set({ attempts: sql`${deliveries.attempts} + 1`, dueAt: new Date(now.getTime() + LEASE_MS) })
      .where(inArray(deliveries.id, due))
      .returning({ id: deliveries.id, attempts: deliveries.attempts, body: deliveries.body });
    return { ...reader, claims: claims.toSorted((one, other) => (one.id < other.id ? -1 : 1)) };
  });
}

/** Sends the next letter that is due. At least once: a process that dies may have sent it without saying so. */
export async function sendNext(deps: MailDeps): Promise<boolean> {
  const { db, clock, log, post, origin, currency } = deps;
  const claimed = await claimNext(db, clock());
  const id = claimed?.claims[0]?.id;
  if (!claimed || id === undefined) {
    return false;
  }
  const { claims, email, language, accountId, userId } = claimed;
  const told = claims.map(({ body }): Told => JSON.parse(body));
  const accountIds = told.flatMap(({ data }) => (data.account_id as AccountId | null) ?? []);
  const accountNames = accountId === null ? await findAccountNames(db, accountIds) : null;
  const letter = write(told, { language, origin, currency, accountNames });
  const outcome = await post.send({ ...letter, id, to: email, settingsUrl: `${origin}/notifications` });
  const lost = await settle(db, claims, { now: clock(), outcome });
  if (lost.length > 0) {
    log.warn({ userId, events: lost.length, problem: outcome.problem }, "an e-mail could not be sent");
  }
  return true;
}
