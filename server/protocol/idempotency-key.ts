import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";

/** The `Idempotency-Key` header; null when there is none. Throws 400 for one that is no such key. */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key !== null && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new GatewayError("invalidParameters", details.idempotencyKey());
  }
  return key;
}

/** What a repeat's answer says of itself: as Stripe's, and the admin API's. */
export const REPLAYED = { "idempotent-replayed": "true" };
