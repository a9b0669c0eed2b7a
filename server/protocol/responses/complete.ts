/**
 * What a response, its items and its events have in any case, where an upstream of this dialect leaves it out or has it
 * in another form: clients' decoders insist on it. What an upstream says is kept: a text where a list of parts belongs
 * becomes its one part, an object where a text belongs is written out. Nothing is written into what is given.
 */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

/** Of the same kind: a text for a text, a list for a list. */
const isLike = (value: unknown, usual: unknown): boolean =>
  Array.isArray(usual) ? Array.isArray(value) : typeof value === typeof usual && value !== null;

/** The same as a text, where one belongs; else what usually is there. */
function likeUsual(value: unknown, usual: JsonObject[string]): JsonObject[string] {
  if (typeof usual === "string" && typeof value === "number") {
    return String(value);
  }
  return typeof usual === "string" && isJsonObject(value) ? JSON.stringify(value) : usual;
}

function withUsual(sent: JsonObject, usual: JsonObject): JsonObject {
  const lacks = Object.entries(usual)
    .filter(([name, value]) => !isLike(sent[name], value))
    .map(([name, value]) => [name, likeUsual(sent[name], value)] as const);
  return lacks.length > 0 ? { ...sent, ...Object.fromEntries(lacks) } : sent;
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

/** Where an item's parts are, by its type, and what a text there is. */
const lists: Record<string, Record<string, string>> = {
  message: { content: "output_text" },
  reasoning: { content: "reasoning_text", summary: "summary_text" },
};

function withWholeParts(item: JsonObject, [list, type]: [list: string, type: string]): JsonObject {
  const sent = typeof item[list] === "string" ? [item[list]] : item[list];
  if (!Array.isArray(sent)) {
    return item;
  }
  const whole = objects(sent.map((part) => (typeof part === "string" ? { type, text: part } : part))).map(
    completePart,
  );
  const isSame = sent.every((part, index) => part === whole[index]);
  return isSame ? item : { ...item, [list]: whole };
}

/** `status`: of one that says none. */
export function completeItem(sent: JsonObject, status = "completed"): JsonObject {
  const usual = items[textOf(sent.type)];
  if (usual === undefined) {
    return sent;
  }
  const parted = Object.entries(lists[textOf(sent.type)] ?? {}).reduce(withWholeParts, sent);
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

/** Events that are one of an item's, which they name. */
export const isOfItem = ({ type }: JsonObject): boolean => Object.hasOwn(events, textOf(type));

export function completeEvent(event: JsonObject): JsonObject {
  const whole = withUsual(event, events[textOf(event.type)] ?? {});
  return isJsonObject(whole.part) ? { ...whole, part: completePart(whole.part) } : whole;
}

/** What is never null. Anything else that a vendor calls null is so. */
const required = new Set(["status", "created_at", "output", "parallel_tool_calls", "tools"]);

/**
 * Of members that are whole, or null: of one that says nothing, in any state but its own. Why a response is cut is what
 * clients take it for that are told nothing.
 */
const members: Record<string, { state: string; usual: JsonObject }> = {
  incomplete_details: { state: "incomplete", usual: { reason: "max_output_tokens" } },
  error: { state: "failed", usual: { code: "server_error", message: "" } },
};

function wholeOrNull(member: JsonObject[string], usual: JsonObject, isDue: boolean): JsonObject | null {
  const said = typeof member === "string" ? { message: member } : member;
  if (!isJsonObject(said)) {
    return null;
  }
  const says = Object.keys(usual).some((name) => (said[name] ?? null) !== null);
  return says || isDue ? withUsual(said, usual) : null;
}

/** `usual`: a response as the gateway writes one. */
export function completeResponse(sent: JsonObject, usual: JsonObject): JsonObject {
  const lacks = Object.entries(usual).filter(
    ([name, value]) => sent[name] === undefined || (required.has(name) && !isLike(sent[name], value)),
  );
  const whole: JsonObject = { ...sent, ...Object.fromEntries(lacks) };
  for (const [name, { state, usual: most }] of Object.entries(members)) {
    if (whole[name] !== undefined) {
      whole[name] = wholeOrNull(whole[name], most, whole.status === state);
    }
  }
  return whole;
}
