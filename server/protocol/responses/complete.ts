/**
 * What a response, its items and its events have in any case, where an upstream of this dialect leaves it out: clients'
 * decoders insist on it. Nothing that an upstream says is changed. Nothing is written into what is given.
 */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

/** Of the same kind: a text for a text, a list for a list. */
const isLike = (value: unknown, usual: unknown): boolean =>
  Array.isArray(usual) ? Array.isArray(value) : typeof value === typeof usual && value !== null;

function withUsual(sent: JsonObject, usual: JsonObject): JsonObject {
  const lacks = Object.entries(usual).filter(([name, value]) => !isLike(sent[name], value));
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

/** Where an item's parts are; of reasoning in both. */
const lists = ["content", "summary"];

function withWholeParts(item: JsonObject, list: string): JsonObject {
  const sent = item[list];
  if (!Array.isArray(sent)) {
    return item;
  }
  const whole = objects(sent).map(completePart);
  const isSame = sent.every((part, index) => part === whole[index]);
  return isSame ? item : { ...item, [list]: whole };
}

/** `status`: of one that says none. */
export function completeItem(sent: JsonObject, status = "completed"): JsonObject {
  const usual = items[textOf(sent.type)];
  if (usual === undefined) {
    return sent;
  }
  const item = withUsual(sent, "status" in usual ? { ...usual, status } : usual);
  return lists.reduce(withWholeParts, item);
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

/** Of members that are null or whole. Why it is cut is what clients take it for that are told nothing. */
const members: Record<string, JsonObject> = {
  incomplete_details: { reason: "max_output_tokens" },
  error: { code: "server_error", message: "" },
};

/** `usual`: a response as the gateway writes one. */
export function completeResponse(sent: JsonObject, usual: JsonObject): JsonObject {
  const lacks = Object.entries(usual).filter(
    ([name, value]) => sent[name] === undefined || (required.has(name) && !isLike(sent[name], value)),
  );
  const whole: JsonObject = { ...sent, ...Object.fromEntries(lacks) };
  for (const [name, most] of Object.entries(members)) {
    const member = whole[name];
    if (isJsonObject(member)) {
      whole[name] = withUsual(member, most);
    }
  }
  return whole;
}
