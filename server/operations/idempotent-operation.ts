import { claimAnswer, keepAnswer, type Once } from "@/server/access";
import { GatewayError } from "@/server/base/errors";
import type { Vault } from "@/server/base/vault";
import { type Tx, transaction } from "@/server/db";
import type { OperationContext } from "./operation";

/**
 * Opens a kept answer. If it was sealed with a key that no longer exists, it cannot be returned, and the work must not
 * be repeated.
 */
function openKept(vault: Vault, kept: string): string {
  try {
    return vault.open(kept);
  } catch (error) {
    throw new GatewayError("idempotencyMismatch", "", { cause: error });
  }
}

/**
 * Returns the answer, created in one transaction with its work, or for a repeat the kept one. Throws
 * idempotencyMismatch (409).
 */
export const runOnce = (
  { db, vault }: Pick<OperationContext, "db" | "vault">,
  once: Once,
  make: (tx: Tx) => Promise<string>,
): Promise<{ answer: string; isRepeat: boolean }> =>
  transaction(db, async (tx) => {
    const kept = await claimAnswer(tx, once);
    if (kept !== null) {
      return { answer: openKept(vault, kept), isRepeat: true };
    }
    const answer = await make(tx);
    await keepAnswer(tx, once, vault.seal(answer));
    return { answer, isRepeat: false };
  });
