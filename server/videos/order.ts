import type { AspectRatio, Resolution } from "@/server/base/facts";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";

/** A submission as validated (spec 4.5). */
export type VideoOrder = {
  accountId: AccountId;
  keyId: KeyId;
  /** What the key may spend in a month, in nano-units. null: whatever the account has. */
  keyCap: Nanos | null;
  modelId: string;
  prompt: string;
  durationSeconds: number;
  resolution: Resolution;
  /** null: the client leaves it open. */
  aspectRatio: AspectRatio | null;
  /** The client's `Idempotency-Key`, and a hash of the body that it came with. */
  idempotency: { key: string; bodyHash: string } | null;
};
