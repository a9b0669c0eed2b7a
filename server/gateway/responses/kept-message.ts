import type { ErrorDefinition } from "@/server/base/error-kind";
import { kinds } from "@/server/base/error-kinds";
import { envelope, type GatewayError } from "@/server/base/errors";
import { errorKeywords } from "../pipeline/error-keywords";

/** Room for every sentence of the gateway, with the names of parameters. */
const MAX_CHARACTERS = 500;

/**
 * The error message for the call's record: the gateway's own sentence unchanged, an upstream's words without anything
 * that may quote the request. null: nothing is left of them.
 */
export function keptMessage(error: GatewayError, outward: Parameters<typeof envelope>[1]): string | null {
  const { quotesUpstream: quotes }: ErrorDefinition = kinds[error.kind];
  const { message } = envelope(error, outward);
  const kept = quotes ? errorKeywords(message) : message;
  return kept.slice(0, MAX_CHARACTERS) || null;
}
