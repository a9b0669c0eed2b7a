import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

/** A tool call, or a fragment of one. Missing values are "". */
export type CallFragment = { index: number; id: string; name: string; fragment: string };

/** The dialect's older form of a call. Snowflake sends an empty one with every message. */
function legacyCalls(call: unknown): JsonObject[] {
  return isJsonObject(call) && (call.name || call.arguments) ? [{ function: call }] : [];
}

/**
 * The called tool and its arguments. The gateway offered no custom tools here, since the messages dialect has none: a
 * custom call of the model is a function call whose input is the function's arguments.
 */
function targetOf({ function: target, custom }: JsonObject): JsonObject {
  if (isJsonObject(target)) {
    return target;
  }
  return isJsonObject(custom) ? { name: custom.name, arguments: custom.input } : {};
}

/** The calls in a normalised chat message or delta. */
export function readCalls(message: JsonObject): CallFragment[] {
  const calls = objects(message.tool_calls);
  return (calls.length > 0 ? calls : legacyCalls(message.function_call)).map((call, position) => {
    const target = targetOf(call);
    return {
      index: typeof call.index === "number" ? call.index : position,
      id: textOf(call.id),
      name: textOf(target.name),
      fragment: textOf(target.arguments),
    };
  });
}
