/**
 * Calls without a name and without arguments, which some models make after their text. They call nothing, so the rest of
 * the answer, which the vendor is paid for, goes to the client without them.
 */
import { isJsonObject, textOf } from "../fields";
import { isEmptyArguments } from "./call-arguments";

/** Whether a call has neither a name nor arguments. */
export function isBlankCall({ name, args }: { name: unknown; args: unknown }): boolean {
  const isEmpty = isJsonObject(args) ? Object.keys(args).length === 0 : isEmptyArguments(textOf(args));
  return textOf(name) === "" && isEmpty;
}

/**
 * The parts of a whole answer without such calls; all parts if nothing that a client can use remains: then another
 * channel may do better.
 */
export function withoutBlankCalls<Part>(
  parts: Part[],
  { isBlank, isUsable }: { isBlank: (part: Part) => boolean; isUsable: (part: Part) => boolean },
): Part[] {
  const rest = parts.filter((part) => !isBlank(part));
  return rest.length < parts.length && rest.some(isUsable) ? rest : parts;
}
