import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

/** A tool call, or a fragment of one. "" for what is not there. */
export type Called = { index: number; id: string; name: string; fragment: string };

/** The dialect's older form of a call; Snowflake sends an empty one with every message. */
function legacyCalls(call: unknown): JsonObject[] {
  return isJsonObject(call) && (call.name || call.arguments) ? [{ function: call }] : [];
}

/**
 * Who is called, with what. No custom tool was offered, since the messages dialect has none: what a model calls as one
 * is a function, if its input is that function's arguments.
 */
function targetOf({ function: target, custom }: JsonObject): JsonObject {
  if (isJsonObject(target)) {
    return target;
  }
  return isJsonObject(custom) ? { name: custom.name, arguments: custom.input } : {};
}

/** The calls in a normalised chat message or delta. */
export function readCalls(message: JsonObject): Called[] {
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
