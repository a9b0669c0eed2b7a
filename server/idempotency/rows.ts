import { and, eq, inArray, isNotNull, lte, or, sql } from "drizzle-orm";
import { type Database, type Db, inEachStatement, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isOver, leaseFor } from "@/server/db/lease";
import type { AccountId } from "@/server/domain/ids";

const { idempotentCalls } = tables;
const { accountId, hash, fingerprint, requestId, leaseUntil, answer, expiresAt } = idempotentCalls;

/** A row, and the call that may write it. */
export type ClaimKey = { accountId: AccountId; hash: string; requestId: string };

/** Answers are kept for 24 hours, as at Stripe. */
const ANSWER_EXPIRES_AT = sql`now() + interval '24 hours'`;

const isThis = (key: ClaimKey) =>
  and(eq(accountId, key.accountId), eq(hash, key.hash), eq(requestId, key.requestId));

/**
 * Whether this call may run: there was no call before it, or that one has died, or its answer has expired. Of several
 * concurrent calls one may run.
 */
export async function insertClaim(
  db: Database,
  { fingerprint: callFingerprint, ...key }: ClaimKey & { fingerprint: string },
  leaseSeconds: number,
): Promise<boolean> {
  const claimed = await ormOf(db)
    .insert(idempotentCalls)
    .values({
      ...key,
      fingerprint: callFingerprint,
      leaseUntil: leaseFor(leaseSeconds),
      createdAt: sql`now()`,
      expiresAt: ANSWER_EXPIRES_AT,
    })
    .onConflictDoUpdate({
      target: [accountId, hash],
      set: {
        fingerprint: sql`excluded.fingerprint`,
        requestId: sql`excluded.request_id`,
        leaseUntil: sql`excluded.lease_until`,
        answer: null,
        createdAt: sql`excluded.created_at`,
        expiresAt: sql`excluded.expires_at`,
      },
      // A distributed table does not allow now() here.
      setWhere: or(
        lte(expiresAt, sql`excluded.created_at`),
        and(lte(leaseUntil, sql`excluded.created_at`), eq(fingerprint, sql`excluded.fingerprint`)),
      ),
    })
    .returning({ requestId });
  return claimed.length > 0;
}

export type CallRow = { fingerprint: string; isRunning: boolean; isLapsed: boolean; answer: Buffer | null };

/** null: no such row, or it has expired. */
export async function findRow(db: Database, key: Omit<ClaimKey, "requestId">): Promise<CallRow | null> {
  const [row] = await ormOf(db)
    .select({
      fingerprint,
      isRunning: sql<boolean>`${leaseUntil} is not null`,
      isLapsed: sql<boolean>`coalesce(${isOver(leaseUntil)}, false)`,
      answer,
    })
    .from(idempotentCalls)
    .where(and(eq(accountId, key.accountId), eq(hash, key.hash), sql`${expiresAt} > now()`));
  return row ?? null;
}

/**
 * Ends a claim. `sealed` null: the answer is not kept. Repeating it changes nothing. false: nothing was done, because
 * the call had ended, or another call runs now.
 */
export async function endClaim(db: Db, key: ClaimKey, sealed: Buffer | null): Promise<boolean> {
  const ended = await ormOf(db)
    .update(idempotentCalls)
    .set({ leaseUntil: null, answer: sealed })
    .where(and(isThis(key), isNotNull(leaseUntil)))
    .returning({ requestId });
  return ended.length > 0;
}

/** The call had no effect, so a repeat is a first call. */
export async function deleteClaim(db: Database, key: ClaimKey): Promise<void> {
  await ormOf(db)
    .delete(idempotentCalls)
    .where(and(isThis(key), isNotNull(leaseUntil)));
}

/** Renews the leases of this process's calls. */
export const renewClaims = (db: Database, keys: ClaimKey[], leaseSeconds: number): Promise<void> =>
  inEachStatement(db, keys, async (together) => {
    const named = <Name extends keyof ClaimKey>(name: Name) => together.map((key) => key[name]);
    await ormOf(db)
      .update(idempotentCalls)
      .set({ leaseUntil: leaseFor(leaseSeconds) })
      .where(
        and(
          inArray(accountId, [...new Set(named("accountId"))]),
          inArray(hash, named("hash")),
          inArray(requestId, named("requestId")),
          isNotNull(leaseUntil),
        ),
      );
  });
