import type { HeaderReader } from "@/server/base/client-request";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";

/** Returns the `Idempotency-Key` header; null if there is none. Throws a 400 for an invalid one. */
export function readIdempotencyKey(headers: HeaderReader): string | null {
  const key = headers.get("idempotency-key");
  if (key !== null && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new GatewayError("invalidParameters", errorMessages.idempotencyKey());
  }
  return key;
}

/** Marks the answer to a repeated call, as Stripe's API and the admin API do. */
export const REPLAYED = { "idempotent-replayed": "true" };
