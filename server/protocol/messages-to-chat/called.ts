import { type Fields, isFields, objects } from "../fields";

/** A tool call, or a fragment of one. "" for what is not there. */
export type Called = { index: number; id: string; name: string; fragment: string };

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The dialect's older form of a call; Snowflake sends an empty one with every message. */
function legacyCalls(call: unknown): Fields[] {
  return isFields(call) && (call.name || call.arguments) ? [{ function: call }] : [];
}

/** The calls in a normalised chat message or delta. */
export function readCalls(message: Fields): Called[] {
  const calls = objects(message.tool_calls);
  return (calls.length > 0 ? calls : legacyCalls(message.function_call)).map((call, position) => {
    const target = isFields(call.function) ? call.function : {};
    return {
      index: typeof call.index === "number" ? call.index : position,
      id: textOf(call.id),
      name: textOf(target.name),
      fragment: textOf(target.arguments),
    };
  });
}
