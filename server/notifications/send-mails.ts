/** Sends events by e-mail: those of a few minutes are combined in one e-mail. */
import { and, asc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { findAccountNames } from "@/server/access";
import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isNextOf } from "@/server/db/lease";
import { notificationTypes } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { type EmailEvent, write } from "./event-mail";
import { LEASE_MS, settle } from "./queue";
import { languageOf } from "./recipients";
import type { Mailer } from "./smtp";
import { type SigningSecrets, unsubscribeUrls } from "./unsubscribe";

const { deliveries, mailRecipients, users } = tables;

/** The pause between two e-mails to a person: at most twelve an hour. Events in the pause are in the next e-mail. */
const QUIET_MS = 5 * 60_000;
/** Older events are not e-mailed any more. */
export const STALE_MS = 3 * 24 * 3_600_000;
/** Events in an e-mail. */
const BATCH = 500;

export type MailDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  post: Mailer;
  /** The console's address: `https://host`. */
  origin: string;
  currency: string;
  /** The billing time zone. */
  timeZone: string;
  secrets: SigningSecrets;
};

/** Claims the next recipient with due events, for one process until the lease expires. null: none is due. */
async function claimNext(db: Db, now: Date) {
  return await transaction(db, async (tx) => {
    const orm = ormOf(tx);
    const isDue = and(
      // An event type of a later release is left to that release's servers.
      inArray(deliveries.type, notificationTypes),
      lte(deliveries.dueAt, now),
      gt(deliveries.createdAt, new Date(now.getTime() - STALE_MS)),
    );
    const active = orm.select({ id: users.id }).from(users).where(eq(users.status, "active"));
    const isNext = isNextOf(tx, mailRecipients.userId, {
      where: and(
        lte(mailRecipients.quietUntil, now),
        inArray(mailRecipients.userId, active),
        inArray(mailRecipients.userId, orm.select({ id: deliveries.userId }).from(deliveries).where(isDue)),
      ),
      orderBy: [mailRecipients.quietUntil],
      limit: 1,
    });
    const [reader] = await orm
      .update(mailRecipients)
      .set({ quietUntil: new Date(now.getTime() + QUIET_MS) })
      .from(users)
      .where(and(isNext, eq(users.id, mailRecipients.userId)))
      .returning({
        userId: mailRecipients.userId,
        language: languageOf,
        email: users.email,
        accountId: users.accountId,
      });
    if (!reader) {
      return null;
    }
    const { userId } = reader;
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
    return { ...reader, claims: claims.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
  });
}

/** Sends the next e-mail that is due. At least once: a process may die after sending it and before recording that. */
export async function sendNext(deps: MailDeps): Promise<boolean> {
  const { db, clock, log, post, origin, currency, timeZone, secrets } = deps;
  const claimed = await claimNext(db, clock());
  const id = claimed?.claims[0]?.id;
  if (!claimed || id === undefined) {
    return false;
  }
  const { claims, email, language, accountId, userId } = claimed;
  const events = claims.map(({ body }): EmailEvent => JSON.parse(body));
  const accountIds = events.flatMap(({ data }) => (data.account_id as AccountId | null) ?? []);
  const accountNames = accountId === null ? await findAccountNames(db, accountIds) : null;
  const { page, oneClick } = unsubscribeUrls(origin, secrets, userId);
  const place = { language, currency, timeZone };
  const letter = write(events, { ...place, origin, accountNames, email, unsubscribeUrl: page });
  const outcome = await post.send({ ...letter, id, to: email, unsubscribeUrl: oneClick });
  const lost = await settle(db, claims, { now: clock(), outcome });
  if (lost.length > 0) {
    log.warn({ userId, events: lost.length, problem: outcome.problem }, "an e-mail could not be sent");
  }
  return true;
}
