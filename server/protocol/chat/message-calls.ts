/** Brings the calls in vendors' messages and deltas to the OpenAI dialect. Changes the objects that it is given. */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { printText } from "../json/print";
import { isBlankCall, withoutBlankCalls } from "../tools/blank-calls";
import { isBlankArguments, isCutOff } from "../tools/call-arguments";

/** Adds the type of a call where a vendor leaves it out. Later fragments of a call have no type. */
function nameKind(call: JsonObject): void {
  if (isJsonObject(call.function) && call.function.name) {
    call.type ||= "function";
  } else if (isJsonObject(call.custom)) {
    call.type ||= "custom";
  }
}

/** The arguments' names in other dialects; a call that lost them would run with none. */
const ARGUMENTS = ["arguments", "parameters", "input", "args"];

/** Takes the name and the arguments of a call from where a vendor puts them, with the dialect's names. */
function takeTarget(source: JsonObject): JsonObject {
  const sent = ARGUMENTS.find((name) => source[name] !== undefined && source[name] !== null);
  const target = {
    ...(source.name !== undefined && { name: source.name }),
    ...(sent && { arguments: source[sent] }),
  };
  for (const name of ["name", ...ARGUMENTS]) {
    delete source[name];
  }
  return target;
}

/** Moves a call's name and arguments to its function where a vendor leaves that level out, or names them otherwise. */
function nestTarget(call: JsonObject): void {
  const { function: target } = call;
  if (isJsonObject(target) && target.arguments === undefined) {
    call.function = { ...takeTarget(target), ...target };
  } else if (target === undefined && call.custom === undefined) {
    const bare = takeTarget(call);
    if (Object.keys(bare).length > 0) {
      call.function = bare;
    }
  }
}

function* printArguments(target: unknown): Generator<void, void> {
  if (isJsonObject(target) && isJsonObject(target.arguments)) {
    target.arguments = yield* printText(target.arguments);
  }
}

export function* normaliseToolCalls(message: JsonObject): Generator<void, void> {
  const { toolCalls, tool_calls: calls = toolCalls } = message;
  delete message.toolCalls;
  if (calls !== undefined && calls !== null) {
    message.tool_calls = isJsonObject(calls) ? [calls] : objects(calls);
  }
  yield* printArguments(message.function_call);
  for (const call of objects(message.tool_calls)) {
    nestTarget(call);
    const target = call.function;
    yield* printArguments(target);
    if (target === null) {
      delete call.function;
    }
    nameKind(call);
  }
}

/** The arguments of a whole call. Agents fail to parse a blank text, and a vendor's `null` is no object. */
const wholeArguments = (target: JsonObject): string =>
  isBlankArguments(textOf(target.arguments)) ? "{}" : textOf(target.arguments);

/** Whether a whole call calls nothing. Snowflake sends an empty custom call with a function. */
function isBlank({ function: target, custom }: JsonObject): boolean {
  const targets = [target, custom].filter(isJsonObject);
  return targets.every(({ name, arguments: text, input }) => isBlankCall({ name, args: text ?? input }));
}

/** Removes calls that call nothing from a whole message, unless nothing else is in it. */
export function dropBlankCalls(message: JsonObject, soleName: string | null): void {
  const calls = objects(message.tool_calls);
  if (soleName !== null || !calls.some(isBlank)) {
    return;
  }
  const isUsable = [message.content, message.refusal].some((text) => textOf(text) !== "");
  const kept = withoutBlankCalls([...calls, message], {
    isBlank: (part) => part !== message && isBlank(part),
    isUsable: (part) => part !== message || isUsable,
  }).filter((part) => part !== message);
  if (kept.length > 0) {
    message.tool_calls = kept;
  } else {
    delete message.tool_calls;
  }
}

/**
 * Adds the members that a client reads of a whole call: a vendor may leave out arguments if there are none. A call
 * without a name belongs to the only tool, if there is one.
 */
export function completeCalls(message: JsonObject, soleName: string | null): void {
  for (const call of objects(message.tool_calls)) {
    const target = isJsonObject(call.function) ? call.function : {};
    // Snowflake sends an empty custom call with a function.
    const custom = isJsonObject(call.custom) && call.custom.name ? call.custom : null;
    if (custom !== null && !isJsonObject(call.function)) {
      call.type = "custom";
      call.custom = { ...custom, name: textOf(custom.name), input: textOf(custom.input) };
    } else {
      call.type = "function";
      call.function = {
        ...target,
        name: textOf(target.name) || (soleName ?? ""),
        arguments: wholeArguments(target),
      };
    }
  }
}

/** Whether a whole message has a call without a name, or one whose arguments were cut off. */
export function* hasHalfCall(message: JsonObject): Generator<void, boolean> {
  for (const { function: target } of objects(message.tool_calls)) {
    if (isJsonObject(target) && (target.name === "" || (yield* isCutOff(textOf(target.arguments))))) {
      return true;
    }
    yield;
  }
  const { function_call: legacy } = message;
  return isJsonObject(legacy) && (yield* isCutOff(textOf(legacy.arguments)));
}

/** Completes a call in the dialect's older form. */
export function completeLegacyCall(message: JsonObject): void {
  const { function_call: call } = message;
  if (isJsonObject(call)) {
    // Snowflake sends an empty one with every message.
    const argumentText = call.name ? wholeArguments(call) : textOf(call.arguments);
    message.function_call = { ...call, name: textOf(call.name), arguments: argumentText };
  }
}
