import { isJsonObject } from "../fields";
import type { RedactedBlock, Seal, ThinkingBlock } from "./conversation";

/**
 * An envelope in which a client of another dialect carries thinking from one turn to the next, in the member where its
 * own dialect has a signature. It holds the vendor's name and the data that this vendor wants back, so that no other
 * vendor gets it.
 *
 * The gateway does not sign it, since a signature would prove nothing that matters: the envelope comes back in a
 * request in which the client writes the whole history, so a client that changes one says no more than it could say
 * anyway, and only the vendor opens or refuses what it sealed. The gateway does not look up, keep or log any of it. If
 * one is unreadable, its thinking is lost, and the call continues. A client that has another's envelope can let a model
 * of the same vendor continue from it, as from any other part of a conversation that it obtained.
 */
const PREFIX = "tg1.";

/** The longest envelope; several times the longest thinking that any vendor has been seen to send. */
const MAX_CHARACTERS = 4_000_000;

export const isEnvelope = (text: unknown): boolean => typeof text === "string" && text.startsWith(PREFIX);

export const toEnvelope = (block: ThinkingBlock | RedactedBlock): string =>
  PREFIX +
  Buffer.from(
    JSON.stringify(block.type === "redacted" ? { data: block.data } : { text: block.text, seal: block.seal }),
  ).toString("base64url");

/** Whether thinking is short enough to be read again. Writing longer thinking takes long and is useless. */
export const fitsEnvelope = (block: ThinkingBlock | RedactedBlock): boolean => {
  const characters =
    block.type === "redacted" ? block.data.length : block.text.length + (block.seal?.data.length ?? 0);
  return characters <= MAX_CHARACTERS;
};

const origins: readonly unknown[] = [
  "anthropic",
  "openai",
  "google",
  "openrouter",
] satisfies Seal["origin"][];

const isSeal = (value: unknown): value is Seal =>
  isJsonObject(value) &&
  origins.includes(value.origin) &&
  typeof value.data === "string" &&
  value.data !== "";

/**
 * The part of carried thinking that an upstream gets: its text, or all that its vendor wants back if that is longer. A
 * vendor counts its own signatures, and no client can write them.
 */
export const carriedText = ({ text, seal }: ThinkingBlock): string =>
  seal?.origin === "openrouter" && seal.data.length > text.length ? seal.data : text;

/** null: the text is no envelope of `toEnvelope`. */
export function fromEnvelope(envelope: string): ThinkingBlock | RedactedBlock | null {
  if (!isEnvelope(envelope) || envelope.length > MAX_CHARACTERS) {
    return null;
  }
  try {
    const content: unknown = JSON.parse(
      Buffer.from(envelope.slice(PREFIX.length), "base64url").toString("utf8"),
    );
    const { data, text, seal } = isJsonObject(content) ? content : {};
    if (typeof data === "string" && data !== "") {
      return { type: "redacted", data };
    }
    const hasSeal = seal === null || isSeal(seal);
    return typeof text === "string" && hasSeal ? { type: "thinking", text, seal } : null;
  } catch {
    return null;
  }
}
