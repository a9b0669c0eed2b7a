import { and, eq, inArray, notInArray, type SQLWrapper, sql } from "drizzle-orm";
import type { Sql } from "postgres";
import { lookUp } from "@/server/base/deadline";
import { type Database, type Tx, tables, transaction } from "@/server/db";
import { ormOf, sqlOf } from "@/server/db/handles";
import { isNextOf } from "@/server/db/lease";
import type { AccountId } from "@/server/domain/ids";
import { PROLONGED_PER_LIFE } from "./conversation-pointer";
import { expiryAt, type Keeping, LEAST_PART_BYTES } from "./entry";
import { createFilling } from "./filling";
import { madeNow } from "./removals";

const { conversations, storedResponses } = tables;

/** For each account. The conversations that were unchanged for longest are deleted first. */
export const MOST_CONVERSATIONS = 10_000;

export type TrimDeps = Keeping & {
  db: Database;
  /** The most that an account may store, as JSON. Its oldest entries are deleted first. */
  mostBytes: number;
};

/** The bytes that a conversation's own row counts. */
export const pointerBytes = (payload: Buffer): number => Math.max(payload.byteLength, LEAST_PART_BYTES);

/** Deletes conversations with the entries that only they have. */
export async function forget(tx: Tx, accountId: AccountId, hashes: string[]): Promise<void> {
  await ormOf(tx)
    .delete(conversations)
    .where(and(eq(conversations.accountId, accountId), inArray(conversations.hash, hashes)));
  await ormOf(tx)
    .delete(storedResponses)
    .where(and(eq(storedResponses.accountId, accountId), inArray(storedResponses.conversationHash, hashes)));
}

/** As `forget`, for conversations that no transaction has locked. `which` selects their hashes. */
const forgetUnused = (db: Database, accountId: AccountId, which: SQLWrapper): Promise<void> =>
  lookUp(
    transaction(db, async (tx) => {
      const unused = await ormOf(tx)
        .select({ hash: conversations.hash })
        .from(conversations)
        .where(and(eq(conversations.accountId, accountId), inArray(conversations.hash, which)))
        .for("update", { skipLocked: true });
      const hashes = unused.map(({ hash }) => hash);
      await forget(tx, accountId, hashes);
    }),
  );

/** Deletes an account's conversations beyond the limit. Running it twice is safe. */
export const forgetSurplus = (db: Database, accountId: AccountId): Promise<void> =>
  forgetUnused(
    db,
    accountId,
    sql`(select hash from conversations where account_id = ${accountId}
      order by expires_at desc, created_at desc, hash offset ${MOST_CONVERSATIONS})`,
  );

/**
 * Selects an account's rows beyond the bytes that it may store. A conversation's row counts as at least as new as the
 * newest part of the conversation: it is deleted after all of them, so that a client is told for as long as possible
 * that a part is gone.
 */
function beyond(accountId: AccountId, { mostBytes, ...keeping }: TrimDeps, isConversation: boolean) {
  const lifeMs = expiryAt(new Date(0), keeping).getTime();
  const unprolongedMs = lifeMs - lifeMs / PROLONGED_PER_LIFE;
  return sql`(
    select hash from (
      select hash, is_conversation, sum(bytes) over (order by added_at desc, is_conversation desc, hash) as total from (
        select hash, bytes, created_at as added_at, false as is_conversation
        from stored_responses where account_id = ${accountId}
        union all
        select hash, greatest(octet_length(payload), ${LEAST_PART_BYTES}),
          expires_at - ${unprolongedMs}::float8 * interval '1 millisecond', true
        from conversations where account_id = ${accountId}
      ) kept
    ) newest where is_conversation = ${isConversation} and total > ${mostBytes})`;
}

/**
 * Deletes the oldest entries of an account that stores more than it may. Running it twice is safe. It waits for no
 * locked row: a transaction that writes one may wait for another that is deleted here.
 */
export function createTrim(deps: TrimDeps): (accountId: AccountId, added: number) => Promise<void> {
  const { db, log, mostBytes } = deps;
  const isFilling = createFilling(mostBytes);

  async function trim(accountId: AccountId): Promise<void> {
    await forgetUnused(db, accountId, beyond(accountId, deps, true));
    const made = await madeNow(sqlOf(db) as Sql, accountId);
    const isOwn = eq(storedResponses.accountId, accountId);
    const { hash } = storedResponses;
    const isUnused = isNextOf(db, hash, {
      where: and(isOwn, inArray(hash, beyond(accountId, deps, false))),
    });
    await lookUp(
      ormOf(db)
        .delete(storedResponses)
        .where(and(isOwn, isUnused, notInArray(hash, made))),
    );
  }

  return async (accountId, added) => {
    if (isFilling(accountId, added)) {
      await trim(accountId).catch((error: unknown) => {
        log.warn({ accountId, err: error }, "an account's oldest responses are still kept");
      });
    }
  };
}
