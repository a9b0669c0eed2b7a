import type { Buyer } from "@/server/billing";
import type { AspectRatio, Resolution } from "@/server/domain/enums";

/** A submission as validated (spec 4.5). */
export type VideoOrder = Buyer & {
  modelId: string;
  /** The account's price group; null: the usual prices. */
  priceGroupId: string | null;
  prompt: string;
  durationSeconds: number;
  resolution: Resolution;
  /** null: the client did not choose one. */
  aspectRatio: AspectRatio | null;
  /** The client's `Idempotency-Key`, and a hash of its body. */
  idempotency: { key: string; bodyHash: string } | null;
};
