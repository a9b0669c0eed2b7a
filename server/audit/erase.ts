/** Forgetting people: what was done, when and to what stays. */
import { and, desc, eq, inArray, like, ne, or, sql } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { auditEntries } = tables;

type Side = typeof auditEntries.before | typeof auditEntries.after;

/** The name that takes the place of an erased user's. */
export const ERASED = "erased";

/** The latest of a user's entries, removed or not: users are targets by their e-mail. */
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

/** null: nobody of that identifier is known, or they are forgotten already. */
export const findUserById = (db: Db, userId: string) => latestOf(db, eq(auditEntries.targetId, userId));

/** As `findUserById`. */
export const findUserByEmail = (db: Db, email: string) => latestOf(db, eq(auditEntries.targetName, email));

/** Everybody who has ever been a user of an account and is not forgotten, by the e-mail that they had last. */
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

/** Their e-mail goes wherever it is, their addresses where they acted. Reads the whole log. */
export async function forgetUser(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const acted = eq(auditEntries.userId, userId);
  const told = JSON.stringify(email);
  const without = (column: Side) => sql`replace(${column}::text, ${told}, ${JSON.stringify(ERASED)})::jsonb`;
  const names = (column: Side) => sql`strpos(${column}::text, ${told}) > 0`;
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
 * Names, addresses and values go from what was done to an account and to what is its own, and its programs' names from
 * what they did. Its people are forgotten one by one.
 */
export async function forgetAccount(tx: Tx, accountId: AccountId): Promise<void> {
  const isOfAccount = eq(auditEntries.accountId, accountId);
  const programs = ormOf(tx)
    .select({ id: auditEntries.targetId })
    .from(auditEntries)
    .where(and(isOfAccount, like(auditEntries.action, "management_key.%")));
  // A program acts under its key's name with the key's identifier behind it, in parentheses.
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
