import type { JsonObject } from "../fields";
import { SYNTHETIC_SIGNATURE } from "../synthetic-thinking";

/**
 * A thinking block that its vendor will take back, nothing but its own fields and those untouched. null: not a
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
