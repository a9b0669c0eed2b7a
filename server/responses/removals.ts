import { and, eq, isNull, notInArray } from "drizzle-orm";
import type { Sql } from "postgres";
import { lookUp } from "@/server/base/deadline";
import { type Database, type Tx, tables, transaction } from "@/server/db";
import { ormOf, sqlOf } from "@/server/db/handles";
import { sweepExpired } from "@/server/db/lease";
import type { AccountId } from "@/server/domain/ids";
import { isResponseId } from "@/server/protocol/responses/ids";
import { conversationOf, lockPointer } from "./conversation-pointer";
import { type Keeping, openEntry, rewriteEntry } from "./entry";
import { hashOf } from "./sealing";

const { storedResponses } = tables;

/** Deletions of stored responses. */
export type Removals = {
  /** Returns whether the response existed. The part that belongs to a conversation stays there. */
  remove: (accountId: AccountId, id: string) => Promise<boolean>;
  /** Deletes expired responses; returns how many. */
  sweep: () => Promise<number>;
};

type RemovalDeps = Keeping & { db: Database };

/**
 * The hashes of responses that are being made, which must stay: otherwise a paid result would be lost. `accountId`: of
 * one account only. A separate query, because a distributed table cannot be joined with another.
 */
export async function madeNow(sql: Sql, accountId: AccountId | null): Promise<string[]> {
  const rows = await lookUp(sql<{ hash: string }[]>`
    select hash from background_responses where ${accountId}::text is null or account_id = ${accountId}`);
  return rows.map(({ hash }) => hash);
}

type ResponseRef = { accountId: AccountId; id: string };

const isRow = ({ accountId, id }: ResponseRef) =>
  and(
    eq(storedResponses.accountId, accountId),
    eq(storedResponses.hash, hashOf(id)),
    isNull(storedResponses.conversationHash),
  );

/**
 * Turns a response that belongs to a conversation into a mere part of it. false: there is no such response, or no such
 * conversation.
 */
async function leaveToConversation(
  tx: Tx,
  deps: RemovalDeps,
  named: ResponseRef & { conversationId: string },
) {
  const { accountId, id, conversationId } = named;
  if ((await lockPointer(tx, deps, { accountId, id: conversationId })) === null) {
    return false;
  }
  const left = await rewriteEntry(tx, deps, {
    ...{ accountId, id, columns: { conversationHash: hashOf(conversationId) } },
    change: (stored) => (conversationOf(stored.response) === null ? null : { ...stored, response: {} }),
  });
  return left !== null;
}

export function createRemovals(deps: RemovalDeps): Removals {
  const { db, clock, secrets } = deps;

  async function remove(accountId: AccountId, id: string): Promise<boolean> {
    const named = { accountId, id };
    const [row] = await lookUp(
      ormOf(db).select({ payload: storedResponses.payload }).from(storedResponses).where(isRow(named)),
    );
    const stored = row && (await openEntry(row.payload, { secrets, ...named }));
    const conversationId = stored ? conversationOf(stored.response) : null;
    const isLeft =
      conversationId !== null &&
      (await lookUp(transaction(db, (tx) => leaveToConversation(tx, deps, { ...named, conversationId }))));
    if (isLeft) {
      return true;
    }
    const gone = await lookUp(
      ormOf(db).delete(storedResponses).where(isRow(named)).returning({ hash: storedResponses.hash }),
    );
    return gone.length > 0;
  }

  return {
    remove: async (accountId, id) => isResponseId(id) && (await remove(accountId, id)),
    sweep: async () => {
      const made = await madeNow(sqlOf(db) as Sql, null);
      return await sweepExpired(db, storedResponses, {
        now: clock(),
        isFree: notInArray(storedResponses.hash, made),
      });
    },
  };
}
