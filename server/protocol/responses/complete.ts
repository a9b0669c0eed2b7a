/**
 * Adds members that responses, their items and their events always have, and corrects their types: some upstreams of
 * this dialect leave them out or send another form, and clients' decoders require them. Keeps the upstream's content: a
 * text in place of a list of parts becomes its only part, an object in place of a text becomes its JSON. Changes none
 * of its arguments.
 */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

/** Whether two values have the same type: a text and a text, a list and a list. */
const isLike = (value: unknown, usual: unknown): boolean =>
  Array.isArray(usual) ? Array.isArray(value) : typeof value === typeof usual && value !== null;

/** Converts the value to a text if the default is one; otherwise returns the default. */
function likeUsual(value: unknown, usual: JsonObject[string]): JsonObject[string] {
  if (typeof usual === "string" && typeof value === "number") {
    return String(value);
  }
  return typeof usual === "string" && isJsonObject(value) ? JSON.stringify(value) : usual;
}

function withUsual(source: JsonObject, usual: JsonObject): JsonObject {
  const lacks = Object.entries(usual)
    .filter(([name, value]) => !isLike(source[name], value))
    .map(([name, value]) => [name, likeUsual(source[name], value)] as const);
  return lacks.length > 0 ? { ...source, ...Object.fromEntries(lacks) } : source;
}

const parts: Record<string, JsonObject> = {
  output_text: { text: "" },
  refusal: { refusal: "" },
  summary_text: { text: "" },
  reasoning_text: { text: "" },
};

const completePart = (part: JsonObject): JsonObject => withUsual(part, parts[textOf(part.type)] ?? {});

const items: Record<string, JsonObject> = {
  message: { status: "completed", role: "assistant", content: [] },
  reasoning: { summary: [] },
  function_call: { status: "completed", call_id: "", name: "", arguments: "" },
  custom_tool_call: { call_id: "", name: "", input: "" },
};

/** The members of an item that hold its parts, by its type, and the type of a text part there. */
const lists: Record<string, Record<string, string>> = {
  message: { content: "output_text" },
  reasoning: { content: "reasoning_text", summary: "summary_text" },
};

/** A part with its type, which some vendors leave out. */
const typedPart = (part: JsonObject, type: string): JsonObject =>
  textOf(part.type) === "" ? { ...part, type: part.refusal === undefined ? type : "refusal" } : part;

/** Some vendors send a text in place of a part, or one part without the list around it. */
function withWholeParts(item: JsonObject, [list, type]: [list: string, type: string]): JsonObject {
  const isOne = typeof item[list] === "string" || isJsonObject(item[list]);
  const parts = isOne ? [item[list]] : item[list];
  if (!Array.isArray(parts)) {
    return item;
  }
  const whole = objects(parts.map((part) => (typeof part === "string" ? { text: part } : part))).map((part) =>
    completePart(typedPart(part, type)),
  );
  const isSame = !isOne && parts.every((part, index) => part === whole[index]);
  return isSame ? item : { ...item, [list]: whole };
}

/** `status`: for an item without one. */
export function completeItem(item: JsonObject, status = "completed"): JsonObject {
  const usual = items[textOf(item.type)];
  if (usual === undefined) {
    return item;
  }
  const parted = Object.entries(lists[textOf(item.type)] ?? {}).reduce(withWholeParts, item);
  return withUsual(parted, "status" in usual ? { ...usual, status } : usual);
}

const inPart = { content_index: 0 };
const inSummary = { summary_index: 0 };
const text = { type: "output_text", text: "" };
const summary = { type: "summary_text", text: "" };

const events: Record<string, JsonObject> = {
  "response.content_part.added": { ...inPart, part: text },
  "response.content_part.done": { ...inPart, part: text },
  "response.output_text.delta": { ...inPart, delta: "" },
  "response.output_text.done": { ...inPart, text: "" },
  "response.output_text.annotation.added": { ...inPart, annotation_index: 0 },
  "response.refusal.delta": { ...inPart, delta: "" },
  "response.refusal.done": { ...inPart, refusal: "" },
  "response.reasoning_summary_part.added": { ...inSummary, part: summary },
  "response.reasoning_summary_part.done": { ...inSummary, part: summary },
  "response.reasoning_summary_text.delta": { ...inSummary, delta: "" },
  "response.reasoning_summary_text.done": { ...inSummary, text: "" },
  "response.reasoning_text.delta": { ...inPart, delta: "" },
  "response.reasoning_text.done": { ...inPart, text: "" },
  "response.function_call_arguments.delta": { delta: "" },
  "response.function_call_arguments.done": { arguments: "" },
  "response.custom_tool_call_input.delta": { delta: "" },
  "response.custom_tool_call_input.done": { input: "" },
};

/** Events that belong to an item, and name it. */
export const isOfItem = ({ type }: JsonObject): boolean => Object.hasOwn(events, textOf(type));

export function completeEvent(event: JsonObject): JsonObject {
  const whole = withUsual(event, events[textOf(event.type)] ?? {});
  return isJsonObject(whole.part) ? { ...whole, part: completePart(whole.part) } : whole;
}

/** Members that are never null. Null is valid in any other member. */
const required = new Set(["status", "created_at", "output", "parallel_tool_calls", "tools"]);

/**
 * Members that are a complete object, or null: an empty one is null, except in its own state. If nothing says why a
 * response was cut, clients assume the default here.
 */
const members: Record<string, { state: string; usual: JsonObject }> = {
  incomplete_details: { state: "incomplete", usual: { reason: "max_output_tokens" } },
  error: { state: "failed", usual: { code: "server_error", message: "" } },
  conversation: { state: "", usual: { id: "" } },
};

function wholeOrNull(member: JsonObject[string], usual: JsonObject, isDue: boolean): JsonObject | null {
  const fields = typeof member === "string" ? { message: member } : member;
  if (!isJsonObject(fields)) {
    return null;
  }
  const says = Object.keys(usual).some((name) => (fields[name] ?? null) !== null);
  return says || isDue ? withUsual(fields, usual) : null;
}

/** `usual`: a response as the gateway writes one. */
export function completeResponse(response: JsonObject, usual: JsonObject): JsonObject {
  const lacks = Object.entries(usual).filter(
    ([name, value]) => response[name] === undefined || (required.has(name) && !isLike(response[name], value)),
  );
  const whole: JsonObject = { ...response, ...Object.fromEntries(lacks) };
  for (const [name, { state, usual: defaults }] of Object.entries(members)) {
    if (whole[name] !== undefined) {
      whole[name] = wholeOrNull(whole[name], defaults, whole.status === state);
    }
  }
  return whole;
}
