import type { AspectRatio, Resolution } from "@/server/base/facts";
import type { Buyer } from "@/server/billing";

/** A submission as validated (spec 4.5). */
export type VideoOrder = Buyer & {
  modelId: string;
  /** Whose prices its account pays; null: the usual ones. */
  priceGroupId: string | null;
  prompt: string;
  durationSeconds: number;
  resolution: Resolution;
  /** null: the client leaves it open. */
  aspectRatio: AspectRatio | null;
  /** The client's `Idempotency-Key`, and a hash of the body that it came with. */
  idempotency: { key: string; bodyHash: string } | null;
};
