/** Turns of a conversation as Google's clients write them. */

import type { JsonObject } from "@/server/protocol/fields";
import { writeSignature } from "@/server/protocol/gemini/signatures";

export const user = (...parts: JsonObject[]) => ({ role: "user", parts });
export const model = (...parts: JsonObject[]) => ({ role: "model", parts });
export const call = (name: string, args: JsonObject, more: JsonObject = {}) => ({
  functionCall: { name, args, ...more },
});
export const result = (name: string, response: JsonObject, more: JsonObject = {}) => ({
  functionResponse: { name, response, ...more },
});
/** The tools that these turns call. */
export const tools = [{ functionDeclarations: [{ name: "f" }, { name: "g" }] }];

/** A signature that contains Claude's thinking. */
export const signed = writeSignature([
  { type: "thinking", text: "hm", seal: { origin: "anthropic", data: "sig" } },
]);
