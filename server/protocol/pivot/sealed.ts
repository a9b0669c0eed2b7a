import { isJsonObject } from "../fields";
import type { RedactedBlock, Seal, ThinkingBlock } from "./conversation";

/**
 * Thinking as a client of another dialect carries it from one turn to the next, in the member where its own dialect
 * has a signature: whose it is and what that vendor wants back, so that no other is ever sent it.
 *
 * It is not signed by us, since that would prove nothing that matters: it comes back in the same request in which its
 * client writes the whole history, so a client that changes one says no more than it could say anyway, and what a
 * vendor sealed only that vendor opens or refuses. Nothing of it is looked up, kept or logged. Where one cannot be read, its
 * thinking is lost, and the call goes on. A client that has another's envelope can have a model of the same vendor go on
 * from it, as from any other part of a conversation that it got hold of.
 */
const PREFIX = "tg1.";

/** Thinking that is carried so; several times the longest that any vendor has been seen to send. */
const MAX_CHARACTERS = 4_000_000;

export const isEnvelope = (text: unknown): boolean => typeof text === "string" && text.startsWith(PREFIX);

export const toEnvelope = (block: ThinkingBlock | RedactedBlock): string =>
  PREFIX +
  Buffer.from(
    JSON.stringify(block.type === "redacted" ? { data: block.data } : { text: block.text, seal: block.seal }),
  ).toString("base64url");

/** Whether thinking is short enough to be read again. To write more takes long, and is of no use. */
export const fitsEnvelope = (block: ThinkingBlock | RedactedBlock): boolean => {
  const said =
    block.type === "redacted" ? block.data.length : block.text.length + (block.seal?.data.length ?? 0);
  return said <= MAX_CHARACTERS;
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
 * What an upstream is sent of thinking that is carried: its text, or all that its vendor wants back where that says more.
 * What other vendors signed is theirs to count, and no client can write it.
 */
export const carriedText = ({ text, seal }: ThinkingBlock): string =>
  seal?.origin === "openrouter" && seal.data.length > text.length ? seal.data : text;

/** null: nothing that `toEnvelope` wrote. */
export function fromEnvelope(envelope: string): ThinkingBlock | RedactedBlock | null {
  if (!isEnvelope(envelope) || envelope.length > MAX_CHARACTERS) {
    return null;
  }
  try {
    const sent: unknown = JSON.parse(
      Buffer.from(envelope.slice(PREFIX.length), "base64url").toString("utf8"),
    );
    const { data, text, seal } = isJsonObject(sent) ? sent : {};
    if (typeof data === "string" && data !== "") {
      return { type: "redacted", data };
    }
    const hasSeal = seal === null || isSeal(seal);
    return typeof text === "string" && hasSeal ? { type: "thinking", text, seal } : null;
  } catch {
    return null;
  }
}
