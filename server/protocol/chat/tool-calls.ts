import { isJsonObject, type JsonObject, textOf } from "../fields";
import { ArgumentsScan } from "../tools/arguments-scan";
import { isBlankArguments, isEmptyArguments } from "../tools/call-arguments";

/** The tools of a request. `soleName`: the name of the only one that a call without a name can mean. */
export type OfferedNames = { isTool: (name: string) => boolean; soleName: string | null };

/**
 * A tool call that has begun in a stream: its id, the number that the vendor gave it, the gateway's id if the vendor
 * sent none, its name so far, and the parts that its client already has.
 */
export type BegunCall = {
  id: string;
  vendorIndex: unknown;
  minted: string | null;
  name: string;
  clientParts: { id: boolean; name: boolean };
  scan: ArgumentsScan;
  /** It began with an empty object, which waits. */
  isEmpty: boolean;
  /** Its input is free text, and may be empty. */
  isCustom: boolean;
};

const isNamed = (call: JsonObject): boolean =>
  [call.function, call.custom].some((target) => isJsonObject(target) && Boolean(target.name));

/**
 * The position of a streamed tool call among its choice's calls, from 0; the SDKs assemble calls by it. Vendors leave
 * the number out, send it as text, start at 1, or number every call 0: then a new id with a name, a name alone, or a
 * name with other arguments after a complete call, starts the next call.
 * Adds a new call to `begun`.
 */
export function placeToolCall(begun: BegunCall[], call: JsonObject): number {
  const id = typeof call.id === "string" ? call.id : "";
  if (typeof call.index === "string" && /^\d{1,4}$/.test(call.index)) {
    call.index = Number(call.index);
  }
  const isNumbered = typeof call.index === "number";
  const hasNumber = (other: BegunCall) => !isNumbered || other.vendorIndex === call.index;
  const same = id === "" ? -1 : begun.findLastIndex((other) => other.id === id && hasNumber(other));
  const latest = same === -1 ? begun.findLastIndex(hasNumber) : same;
  const existing = begun[latest];
  const isNext =
    same === -1 &&
    isNamed(call) &&
    (id === "" ? !isNumbered || isAnother(existing, call) : existing?.id !== "");
  if (!existing || isNext) {
    const flags = { id: false, name: false };
    return (
      begun.push({
        id,
        vendorIndex: call.index,
        minted: null,
        name: "",
        clientParts: flags,
        scan: new ArgumentsScan(),
        isEmpty: false,
        isCustom: false,
      }) - 1
    );
  }
  existing.id ||= id;
  return latest;
}

/**
 * Gives a fragment of a call the id by which its client matches the tool's result: Gemini sends none, and two calls
 * without ids cannot be told apart. Once a client has the gateway's id, it does not get the vendor's late one.
 */
export function identifyToolCall(begun: BegunCall, call: JsonObject, mint: () => string): void {
  if (begun.id === "" && isNamed(call)) {
    begun.minted ??= mint();
  }
  if (begun.minted !== null) {
    call.id = begun.minted;
  }
}

/** Whether a named fragment without an id is another call than the complete one of its number. */
const isAnother = (existing: BegunCall | undefined, { function: target }: JsonObject): boolean => {
  const text = isJsonObject(target) ? textOf(target.arguments) : "";
  return existing?.scan.state === "complete" && text.trim() !== "" && !existing.scan.isRepeated(text);
};

/**
 * Returns the part of a fragment that is new to its client. Vendors repeat id and name in every fragment, or split a
 * name in two; the official SDKs concatenate such texts, or take the last one. So the client gets each once, and a name
 * that matches none of the call's tools waits for its rest until arguments come. `isLast`: the choice ends with this
 * fragment. null: nothing is new.
 */
export function newOf(
  begun: BegunCall,
  call: JsonObject,
  { isTool, soleName, isLast }: OfferedNames & { isLast: boolean },
): JsonObject | null {
  const isCustom = isJsonObject(call.custom) && !isJsonObject(call.function);
  const [member, field] = isCustom ? ["custom", "input"] : ["function", "arguments"];
  const { name: rawName, ...target } = isJsonObject(call[member]) ? call[member] : {};
  const fragment = textOf(target[field]);
  const name = textOf(rawName);
  // Without a name, and where it may be of several tools, it calls nothing so far.
  const isNameless = name === "" && begun.name === "" && soleName === null;
  // Some vendors begin a call with an empty object, or null, and send the arguments after it.
  const isEmpty =
    !isCustom &&
    begun.scan.state === "blank" &&
    fragment.trim() !== "" &&
    (name === "" && !isNameless ? isBlankArguments : isEmptyArguments)(fragment);
  begun.isEmpty ||= isEmpty;
  const empty = isLast && !isNameless ? "{}" : "";
  const text = isCustom ? fragment : begun.scan.readNew(isEmpty ? empty : fragment);
  const { clientParts } = begun;
  begun.isCustom ||= isCustom;
  if (!clientParts.name && name !== begun.name) {
    // The rest of the name, or all of it so far.
    begun.name = name.startsWith(begun.name) ? name : begun.name + name;
  }
  const isNaming = !clientParts.name && begun.name !== "" && (text !== "" || isTool(begun.name));
  const id = begun.minted ?? begun.id;
  const isIdentifying = !clientParts.id && id !== "" && (isNaming || clientParts.name || text !== "");
  const { id: _id, type: _type, ...rest } = call;
  clientParts.name ||= isNaming;
  clientParts.id ||= isIdentifying;
  const isMore = Object.keys({ ...rest, ...target }).some((key) => !["index", member, field].includes(key));
  if (!isNaming && !isIdentifying && text === "" && !isMore) {
    return null;
  }
  return {
    ...rest,
    ...(isIdentifying && { id }),
    ...(isNaming && { type: member }),
    [member as string]: { ...(isNaming && { name: begun.name }), ...target, [field as string]: text },
  };
}

/** Returns the name of the only tool for calls that never named one. */
export function nameCalls(calls: BegunCall[], soleName: string | null): JsonObject[] {
  return calls.flatMap((begun, index) => {
    const { id, minted, name, clientParts, scan, isCustom } = begun;
    if (soleName === null || name !== "" || scan.state === "blank" || isCustom) {
      return [];
    }
    begun.name = soleName;
    begun.clientParts = { id: true, name: true };
    const identity = clientParts.id ? {} : { id: minted ?? id };
    return [{ index, ...identity, type: "function", function: { name: soleName, arguments: "" } }];
  });
}

/**
 * Returns the missing parts of calls: a name that waited, and `{}` where no arguments came. `isWhole`: the calls are
 * whole; of others, only an empty object that waited is missing.
 */
export function restOf(calls: BegunCall[], isWhole: boolean): JsonObject[] {
  return calls.flatMap((begun, index) => {
    const { id, minted, name, clientParts, scan, isCustom, isEmpty } = begun;
    if (name === "" || scan.state !== "blank" || isCustom || !(isWhole || isEmpty)) {
      return [];
    }
    const identity = clientParts.name ? {} : { id: minted ?? id, type: "function" };
    const rest = { index, ...identity, function: { ...(!clientParts.name && { name }), arguments: "{}" } };
    begun.clientParts = { id: true, name: true };
    scan.read("{}");
    return [rest];
  });
}
