/** The users who receive e-mails, and the events they subscribe to. */
import { eq, inArray, sql } from "drizzle-orm";
import { getUser, listUsers, setLanguage, type UserEntry } from "@/server/access";
import { type Language, languageOf as preferredLanguage } from "@/server/base/language";
import { type Db, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { EventType, Status } from "@/server/domain/enums";
import { newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { bodyOf } from "./announce";
import type { NotificationOwner } from "./endpoints";

const { deliveries, mailRecipients, users } = tables;

/**
 * The language of e-mails to a recipient: the one in which they last used the console. Until they do, it is the one
 * that was chosen with their events.
 */
export const languageOf = sql<Language>`coalesce(${users.language}, ${mailRecipients.language})`;

/** A user who could receive e-mails. `language` null: not set up yet, so the user gets none. */
export type Recipient = {
  userId: string;
  email: string;
  status: Status;
  events: EventType[];
  language: Language | null;
};

type RecipientRef = NotificationOwner & { userId: string };

async function withChoices(db: Db, people: UserEntry[]): Promise<Recipient[]> {
  const { userId, events } = mailRecipients;
  const ids = people.map(({ id }) => id);
  const rows = await ormOf(db)
    .select({ userId, events, language: languageOf })
    .from(mailRecipients)
    .innerJoin(users, eq(users.id, userId))
    .where(inArray(userId, ids));
  const chosen = new Map(rows.map((row) => [row.userId, row]));
  return people.map(({ id, email, status }) => ({
    ...{ userId: id, email, status },
    events: chosen.get(id)?.events ?? [],
    language: chosen.get(id)?.language ?? null,
  }));
}

/** All users of an account, or all operators. */
export const listRecipients = async (db: Db, { accountId }: NotificationOwner): Promise<Recipient[]> =>
  await withChoices(db, await listUsers(db, { accountId }));

/** Throws Refusal. */
export const getRecipient = async (db: Db, target: RecipientRef): Promise<Recipient> =>
  await rowOrRefuse(withChoices(db, [await getUser(db, target)]), () => new Error("a user is nobody"));

/**
 * `language`: of all e-mails to the user from now on, until they use the console in another one; undefined: unchanged.
 * Throws Refusal for a user of another account.
 */
export async function setRecipient(
  db: Db,
  { events, language, ...target }: RecipientRef & { events: EventType[]; language?: Language | undefined },
): Promise<Recipient> {
  const { id: userId, language: used } = await getUser(db, target);
  if (language !== undefined) {
    await setLanguage(db, { userId, language });
  }
  await ormOf(db)
    .insert(mailRecipients)
    .values({ userId, events, language: language ?? used ?? preferredLanguage(null) })
    .onConflictDoUpdate({ target: mailRecipients.userId, set: { events, ...(language && { language }) } });
  return await getRecipient(db, target);
}

/** Queues a test e-mail for a user whose alerts are set up. Throws Refusal. */
export async function sendTestMail(
  db: Db,
  { userId, accountId, now }: RecipientRef & { now: Date },
): Promise<void> {
  const { language } = await getRecipient(db, { userId, accountId });
  if (language === null) {
    throw new Refusal("choose events for this person first", "alertsNotChosen");
  }
  const type = "mail.test" as const;
  const body = bodyOf({ type, accountId, data: {}, at: now });
  await ormOf(db)
    .insert(deliveries)
    .values({ id: newId("msg"), userId, type, body, dueAt: now });
}
