import { and, eq, isNull } from "drizzle-orm";
import { GatewayError } from "@/server/base/errors";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { Caller } from "../caller";

export type SwitchedOff = "expiredKey" | "keyDisabled" | "accountDisabled";

/** Why a key may not be used from any address, in the order of spec section 7; null: it may be used. */
export function switchedOff(
  key: { expiresAt: Date | null; isEnabled: boolean; isAccountEnabled: boolean },
  now: Date,
): SwitchedOff | null {
  if (key.expiresAt && key.expiresAt <= now) {
    return "expiredKey";
  }
  if (!key.isEnabled) {
    return "keyDisabled";
  }
  return key.isAccountEnabled ? null : "accountDisabled";
}

/** See `Gatekeeper.recheckKey`. Reads the row, not the cache. */
export async function recheckKey(
  db: Db,
  { accountId, keyId }: { accountId: AccountId; keyId: KeyId },
  now: Date,
): Promise<Pick<Caller, "models" | "cachesPrompts">> {
  const { accounts, apiKeys } = tables;
  const { models, cachesPrompts, expiresAt, status } = apiKeys;
  const [row] = await ormOf(db)
    .select({ models, cachesPrompts, expiresAt, status, accountStatus: accounts.status })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId), isNull(apiKeys.deletedAt)))
    .limit(1);
  if (!row) {
    throw new GatewayError("invalidKey");
  }
  const isEnabled = row.status === "active";
  const isAccountEnabled = row.accountStatus === "active";
  const bar = switchedOff({ expiresAt: row.expiresAt, isEnabled, isAccountEnabled }, now);
  if (bar !== null) {
    throw new GatewayError(bar);
  }
  return { models: row.models, cachesPrompts: row.cachesPrompts };
}
