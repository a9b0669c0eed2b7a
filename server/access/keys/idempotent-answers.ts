/** Stored answers to management keys, for repeated requests with the same Idempotency-Key. */
import { and, eq, lt, sql } from "drizzle-orm";
import { GatewayError } from "@/server/base/errors";
import { type Db, orRefuse, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { idempotentAnswers } = tables;

/** Stripe keeps them for 24 hours, too. */
const KEPT_HOURS = 24;

/** A request that may be repeated. `fingerprint`: a hash of everything that it asks for. */
export type Once = { managementKeyId: string; key: string; fingerprint: string };

const isThis = ({ managementKeyId, key }: Once) =>
  and(eq(idempotentAnswers.managementKeyId, managementKeyId), eq(idempotentAnswers.key, key));

/**
 * Claims the key for this request. Returns null for a new request; a concurrent repeat waits until this transaction
 * ends. Otherwise returns the stored answer. Throws idempotencyMismatch (409) if the key was used with another request.
 */
export async function claimAnswer(tx: Tx, once: Once): Promise<string | null> {
  const claim = ormOf(tx)
    .insert(idempotentAnswers)
    .values(once)
    .onConflictDoNothing()
    .returning({ key: idempotentAnswers.key });
  // The management key was revoked after it was found.
  const [claimed] = await orRefuse(claim, "missing", () => new GatewayError("invalidKey"));
  if (claimed) {
    return null;
  }
  const [kept] = await ormOf(tx)
    .select({ fingerprint: idempotentAnswers.fingerprint, answer: idempotentAnswers.answer })
    .from(idempotentAnswers)
    .where(isThis(once));
  if (!kept?.answer || kept.fingerprint !== once.fingerprint) {
    throw new GatewayError("idempotencyMismatch");
  }
  return kept.answer;
}

/** `sealed`: encrypted, because the answer may contain a new key's secret. */
export async function keepAnswer(tx: Tx, once: Once, sealed: string): Promise<void> {
  await ormOf(tx).update(idempotentAnswers).set({ answer: sealed }).where(isThis(once));
}

/** Deletes answers that are too old to be repeated. */
export async function forgetAnswers(db: Db): Promise<void> {
  await ormOf(db)
    .delete(idempotentAnswers)
    .where(lt(idempotentAnswers.createdAt, sql`now() - ${KEPT_HOURS} * interval '1 hour'`));
}
