/** Thinking in the messages dialect's form, which clients of the chat dialect carry, too (LiteLLM's). */
import { type JsonObject, textOf } from "./fields";
import type { RedactedBlock, ThinkingBlock } from "./pivot/conversation";
import { fromEnvelope, isEnvelope, toEnvelope } from "./pivot/sealed";

/**
 * The signature on unsigned thinking. It is never empty, because clients hand thinking back only with a signature (AI
 * SDK, claude-code-router), and thinking models in the chat dialect (DeepSeek, Kimi) want it back. No vendor would
 * accept it, so the gateway sends it to none.
 */
export const SYNTHETIC_SIGNATURE = "tollgate.unsigned.1";

/** Whether a vendor of the messages dialect would refuse the block: it accepts only its own (CLIProxyAPI#1584). */
export const isForeign = ({ type, signature, data }: JsonObject): boolean =>
  type === "thinking"
    ? !signature || signature === SYNTHETIC_SIGNATURE || isEnvelope(signature)
    : type === "redacted_thinking" && isEnvelope(data);

/** null: not a thinking block. */
export function readThinking(block: JsonObject): ThinkingBlock | RedactedBlock | null {
  const { type, signature, data } = block;
  if (type === "redacted_thinking") {
    return typeof data === "string" && data !== ""
      ? (fromEnvelope(data) ?? { type: "redacted", data })
      : null;
  }
  if (type !== "thinking") {
    return null;
  }
  const text = textOf(block.thinking);
  if (!isForeign(block) && typeof signature === "string") {
    return { type, text, seal: { origin: "anthropic", data: signature } };
  }
  const carried = fromEnvelope(textOf(signature));
  // The client's visible text counts: the client paid for it.
  return { type, text, seal: carried?.type === "thinking" ? carried.seal : null };
}

/** The signature for a client's block. */
export const signatureOf = (block: ThinkingBlock): string => {
  if (block.seal === null) {
    return SYNTHETIC_SIGNATURE;
  }
  return block.seal.origin === "anthropic" ? block.seal.data : toEnvelope(block);
};

/** The block for a client. */
export const writeThinking = (block: ThinkingBlock | RedactedBlock): JsonObject =>
  block.type === "redacted"
    ? { type: "redacted_thinking", data: block.data }
    : { type: "thinking", thinking: block.text, signature: signatureOf(block) };
