/** What management keys have asked for once, and were told: for the repeats that an Idempotency-Key tells apart. */
import { and, eq, lt, sql } from "drizzle-orm";
import { GatewayError } from "@/server/base/errors";
import { type Db, orRefuse, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { idempotentAnswers } = tables;

/** As Stripe keeps them. */
const KEPT_HOURS = 24;

/** A request that may be repeated. `fingerprint`: of all that it asks for. */
export type Once = { managementKeyId: string; key: string; fingerprint: string };

const isThis = ({ managementKeyId, key }: Once) =>
  and(eq(idempotentAnswers.managementKeyId, managementKeyId), eq(idempotentAnswers.key, key));

/**
 * null: nobody has asked for it, and who comes while this transaction is under way waits for its end. Otherwise the
 * answer that was kept. Throws idempotencyMismatch (409) where the key came with another request.
 */
export async function claimAnswer(tx: Tx, once: Once): Promise<string | null> {
  const claim = ormOf(tx)
    .insert(idempotentAnswers)
    .values(once)
    .onConflictDoNothing()
    .returning({ key: idempotentAnswers.key });
  // Revoked since it was found.
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

/** `sealed`: it may show a new key's secret. */
export async function keepAnswer(tx: Tx, once: Once, sealed: string): Promise<void> {
  await ormOf(tx).update(idempotentAnswers).set({ answer: sealed }).where(isThis(once));
}

/** Forgets what is too old to be repeated. */
export async function forgetAnswers(db: Db): Promise<void> {
  await ormOf(db)
    .delete(idempotentAnswers)
    .where(lt(idempotentAnswers.createdAt, sql`now() - ${KEPT_HOURS} * interval '1 hour'`));
}
