import { isJsonObject, type JsonObject, textOf } from "../fields";
import { isBlankCall, withoutBlankCalls } from "../tools/blank-calls";
import { candidatesOf, partsOf } from "./normalise";

const isBlank = ({ functionCall: call, thoughtSignature }: JsonObject): boolean =>
  isJsonObject(call) &&
  call.partialArgs === undefined &&
  call.willContinue !== true &&
  thoughtSignature === undefined &&
  isBlankCall({ name: call.name, args: call.args });

const isUsable = ({ functionCall, text, thought }: JsonObject): boolean =>
  functionCall !== undefined || (thought !== true && textOf(text) !== "");

/** A response without calls that call nothing. `isWhole`: it is no piece of a stream. */
export function dropBlankCalls(response: JsonObject, isWhole: boolean): JsonObject {
  if (!candidatesOf(response).some((candidate) => partsOf(candidate).some(isBlank))) {
    return response;
  }
  const candidates = candidatesOf(response).map((candidate) => {
    const all = partsOf(candidate);
    const parts = isWhole
      ? withoutBlankCalls(all, { isBlank, isUsable })
      : all.filter((part) => !isBlank(part));
    return isJsonObject(candidate.content)
      ? { ...candidate, content: { ...candidate.content, parts } }
      : candidate;
  });
  return { ...response, candidates };
}
