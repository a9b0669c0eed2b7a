import type { RedactedBlock, ThinkingBlock } from "../pivot/conversation";
import { fromEnvelope, toEnvelope } from "../pivot/sealed";

/** A placeholder for a lost signature. Google does not check it, and no other vendor knows it. */
export const NO_SIGNATURE = "skip_thought_signature_validator";
const NO_SIGNATURES = new Set([NO_SIGNATURE, "context_engineering_is_the_way_to_go"]);

/**
 * Clients in Python hold signatures as bytes, so they encode these as base64 again, in either alphabet, with or without
 * padding.
 */
const bare = (text: string): string => text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
const lost = new Set([...NO_SIGNATURES].map(bare));

/** The start of an envelope, in base64. */
const BEGINNING = Buffer.from("tg1.").toString("base64").slice(0, 5);
const BETWEEN = " ";

/** Writes other vendors' thinking as a signature: bytes in base64, as clients require. */
export const writeSignature = (blocks: readonly (ThinkingBlock | RedactedBlock)[]): string =>
  Buffer.from(blocks.map(toEnvelope).join(BETWEEN)).toString("base64");

/** Whether `writeSignature` wrote this signature. Google would refuse it. */
export const isOurs = (signature: string): boolean => signature.startsWith(BEGINNING);

/** Reads a part's signature: other vendors' thinking, or Google's own signature. Empty: there is none. */
export function readSignature(signature: string): (ThinkingBlock | RedactedBlock)[] {
  if (isOurs(signature)) {
    return Buffer.from(signature, "base64")
      .toString("utf8")
      .split(BETWEEN)
      .map(fromEnvelope)
      .filter((block) => block !== null);
  }
  return signature === "" || lost.has(bare(signature))
    ? []
    : [{ type: "thinking", text: "", seal: { origin: "google", data: signature } }];
}
