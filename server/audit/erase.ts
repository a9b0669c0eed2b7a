/** Erases people from the log. The action, its time and its target stay. */
import { and, desc, eq, inArray, like, ne, or, sql } from "drizzle-orm";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { auditEntries } = tables;

type EntryColumn = typeof auditEntries.before | typeof auditEntries.after;

/** The name that takes the place of an erased user's. */
export const ERASED = "erased";

/** The latest entry about a user, removed or not: the target of such an entry is named by e-mail. */
const latestOf = async (db: Db, condition: ReturnType<typeof eq>) =>
  (
    await ormOf(db)
      .select({
        userId: auditEntries.targetId,
        email: auditEntries.targetName,
        accountId: auditEntries.accountId,
      })
      .from(auditEntries)
      .where(and(condition, like(auditEntries.action, "user.%"), ne(auditEntries.targetName, ERASED)))
      .orderBy(desc(auditEntries.id))
      .limit(1)
  )[0] ?? null;

/** null: the identifier is unknown, or the user is erased already. */
export const findUserById = (db: Db, userId: string) => latestOf(db, eq(auditEntries.targetId, userId));

/** As `findUserById`. */
export const findUserByEmail = (db: Db, email: string) => latestOf(db, eq(auditEntries.targetName, email));

/** Everyone who has ever been a user of an account and is not erased, by their latest e-mail. */
export const listUsersOf = (db: Db, accountId: AccountId) =>
  ormOf(db)
    .selectDistinctOn([auditEntries.targetId], { id: auditEntries.targetId, email: auditEntries.targetName })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.accountId, accountId),
        like(auditEntries.action, "user.%"),
        ne(auditEntries.targetName, ERASED),
      ),
    )
    .orderBy(auditEntries.targetId, desc(auditEntries.id));

/** Replaces the user's e-mail in every entry, and removes the addresses of the user's actions. Reads the whole log. */
export async function forgetUser(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const acted = eq(auditEntries.userId, userId);
  const emailJson = JSON.stringify(email);
  const without = (column: EntryColumn) =>
    sql`replace(${column}::text, ${emailJson}, ${JSON.stringify(ERASED)})::jsonb`;
  const names = (column: EntryColumn) => sql`strpos(${column}::text, ${emailJson}) > 0`;
  await ormOf(tx)
    .update(auditEntries)
    .set({
      actor: sql`case when ${acted} then ${ERASED} else ${auditEntries.actor} end`,
      address: sql`case when ${acted} then null else ${auditEntries.address} end`,
      targetName: sql`case when ${eq(auditEntries.targetId, userId)} then ${ERASED} else ${auditEntries.targetName} end`,
      before: without(auditEntries.before),
      after: without(auditEntries.after),
    })
    .where(
      or(acted, eq(auditEntries.targetId, userId), names(auditEntries.before), names(auditEntries.after)),
    );
}

/**
 * Removes names, addresses and values from the entries of an account, and the names of its programs from their actions.
 * The account's people are erased one by one.
 */
export async function forgetAccount(tx: Tx, accountId: AccountId): Promise<void> {
  const isOfAccount = eq(auditEntries.accountId, accountId);
  const programs = ormOf(tx)
    .select({ id: auditEntries.targetId })
    .from(auditEntries)
    .where(and(isOfAccount, like(auditEntries.action, "management_key.%")));
  // The actor of a program is its key's name followed by the key's identifier in parentheses.
  const program = sql`substring(${auditEntries.actor} from '\\(([^()]+)\\)$')`;
  await ormOf(tx)
    .update(auditEntries)
    .set({
      actor: sql`case when ${inArray(program, programs)} then ${ERASED} else ${auditEntries.actor} end`,
      address: null,
      targetName: ERASED,
      before: null,
      after: null,
    })
    .where(isOfAccount);
}
