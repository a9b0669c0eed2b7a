import type { Kind } from "@/server/base/error-kind";
import { kinds } from "@/server/base/error-kinds";
import { envelope, type GatewayError } from "@/server/base/errors";
import { gistOf } from "./gist";

/** Room for every sentence of ours, names of parameters included. */
const MAX_CHARACTERS = 500;

/**
 * What a client was told of a failure, as it may be kept with the call: our own sentence as it was, an upstream's words
 * without whatever they may quote of the request. null: nothing is left of them.
 */
export function keptMessage(error: GatewayError, outward: Parameters<typeof envelope>[1]): string | null {
  const { quotes }: Kind = kinds[error.kind];
  const { message } = envelope(error, outward);
  const kept = quotes ? gistOf(message) : message;
  return kept.slice(0, MAX_CHARACTERS) || null;
}
