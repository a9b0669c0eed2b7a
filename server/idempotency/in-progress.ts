import { GatewayError } from "@/server/base/errors";

const RETRY_AFTER_SECONDS = 5;

/** Another call with the same key is under way. */
export const inProgress = () =>
  new GatewayError("idempotencyInProgress", "", { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } });
