import type { JsonObject } from "./fields";

/**
 * The signature on thinking that no messages-dialect vendor signed. It is never empty, because clients hand thinking
 * back only with a signature (AI SDK, claude-code-router), and thinking models in the chat dialect (DeepSeek, Kimi)
 * want it back. No vendor would accept it, so it never reaches one.
 */
export const SYNTHETIC_SIGNATURE = "tollgate.unsigned.1";

/**
 * A thinking block in the messages dialect's form that its vendor will take back, nothing but its own fields and those untouched. null: not a
 * thinking block, or one that no vendor signed (CLIProxyAPI#1584: a vendor refuses a foreign signature).
 */
export function signedThinking(block: JsonObject): JsonObject | null {
  const { type, thinking, signature, data } = block;
  if (type === "redacted_thinking") {
    return typeof data === "string" && data !== "" ? { type, data } : null;
  }
  const isSigned =
    type === "thinking" &&
    typeof thinking === "string" &&
    typeof signature === "string" &&
    signature !== "" &&
    signature !== SYNTHETIC_SIGNATURE;
  return isSigned ? { type, thinking, signature } : null;
}
