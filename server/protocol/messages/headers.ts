import type { HeaderReader } from "@/server/base/client-request";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";

/** No real header is longer: Claude Code's list of betas has some 200 characters. */
const MAX_CHARACTERS = 2_000;

function withinLimit(name: string, value: string): string {
  if (value.length > MAX_CHARACTERS) {
    throw new GatewayError("invalidParameters", errorMessages.headerTooLong(name, MAX_CHARACTERS));
  }
  return value;
}

/**
 * The headers that belong to a messages call. Any version is accepted: SDKs send other versions than the spec's (facts:
 * `2026-10-21` since their major 1), and the spec's 400 is for a missing one. Throws missingVersion, invalidParameters.
 */
export function readMessagesHeaders(headers: HeaderReader): Record<string, string> {
  const version = headers.get("anthropic-version")?.trim();
  if (!version) {
    throw new GatewayError("missingVersion");
  }
  const betas = headers.get("anthropic-beta")?.trim();
  return {
    "anthropic-version": withinLimit("anthropic-version", version),
    ...(betas && { "anthropic-beta": withinLimit("anthropic-beta", betas) }),
  };
}
