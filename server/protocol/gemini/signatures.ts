import type { RedactedBlock, ThinkingBlock } from "../pivot/conversation";
import { fromEnvelope, toEnvelope } from "../pivot/sealed";

/** Stands for a signature that is lost; Google does not check it, and nobody else knows it. */
export const NO_SIGNATURE = "skip_thought_signature_validator";
const NO_SIGNATURES = new Set([NO_SIGNATURE, "context_engineering_is_the_way_to_go"]);

/** Clients in Python hold signatures as bytes: these in base64 again, in either alphabet, with padding or without. */
const bare = (text: string): string => text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
const lost = new Set([...NO_SIGNATURES].map(bare));

/** What envelopes begin with, in base64. */
const BEGINNING = Buffer.from("tg1.").toString("base64").slice(0, 5);
const BETWEEN = " ";

/** Thinking of other vendors as a signature: bytes in base64, as clients insist on. */
export const writeSignature = (blocks: readonly (ThinkingBlock | RedactedBlock)[]): string =>
  Buffer.from(blocks.map(toEnvelope).join(BETWEEN)).toString("base64");

/** Whether a signature is one that `writeSignature` wrote, which Google would refuse. */
export const isOurs = (signature: string): boolean => signature.startsWith(BEGINNING);

/** What a client carried in a part's signature: others' thinking, or Google's own signature. Empty: nothing. */
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
