/** Whether a stream is one of the chat dialect, as its strictest clients take it. */
import type { JsonObject } from "./corpus";
import { fields, list, string } from "./json";
import { type Frame, framesOf } from "./sse";

/** `thinking_blocks` is LiteLLM's: clients that know it hand signed thinking back, and the SDKs leave it alone. */
const deltaMembers = [
  "role",
  "content",
  "reasoning_content",
  "thinking_blocks",
  // Vendors that search stream them so, though OpenAI's schema of a chunk does not have them.
  "annotations",
  "refusal",
  "tool_calls",
  "function_call",
];

type Progress = { hasRole: boolean; calls: number; isFinished: boolean };

function callFault(call: JsonObject, progress: Progress): string | false {
  const target = fields(call.function);
  if (call.index === progress.calls) {
    progress.calls++;
    const isWhole = string(call.id) !== "" && string(target.name) !== "" && call.type === "function";
    return (!isWhole || typeof target.arguments !== "string") && "a tool call that begins without its parts";
  }
  const isKnown = Number.isInteger(call.index) && Number(call.index) < progress.calls;
  return (!isKnown || typeof target.arguments !== "string") && "a fragment of no tool call";
}

/** openai-python puts lists together by `index`, and throws without. */
function annotationFault(annotation: JsonObject, place: number): string | false {
  const { url, start_index: start, end_index: end } = fields(annotation.url_citation);
  const isPlaced = Number.isInteger(start) && Number.isInteger(end) && Number(start) <= Number(end);
  const isWhole = annotation.type === "url_citation" && string(url) !== "" && isPlaced;
  return (!isWhole || annotation.index !== place) && "an annotation that is none";
}

function choiceFaults(choice: JsonObject, progress: Progress): (string | false)[] {
  const delta = fields(choice.delta);
  const { hasRole, isFinished } = progress;
  progress.hasRole ||= delta.role === "assistant";
  progress.isFinished ||= string(choice.finish_reason) !== "";
  return [
    isFinished && "a choice goes on after its end",
    !progress.hasRole && "a choice without a role",
    hasRole && "role" in delta && "a second role",
    "finish_reason" in choice && choice.finish_reason === "" && "an empty finish_reason",
    ...Object.keys(delta).map((name) => !deltaMembers.includes(name) && `${name} in a delta`),
    ...list(delta.annotations).map(annotationFault),
    ...list(delta.tool_calls).map((call) => callFault(call, progress)),
  ];
}

function headFaults(chunk: JsonObject, first: JsonObject): (string | false)[] {
  return [
    chunk.object !== "chat.completion.chunk" && "no chat.completion.chunk",
    !Array.isArray(chunk.choices) && "no choices",
    typeof chunk.created !== "number" && "no created",
    ...["id", "created", "model"].map((name) => chunk[name] !== first[name] && `another ${name}`),
  ];
}

/** Usage stands in the last chunk if it was asked for, alone, and nowhere else. */
function usageFault(chunks: JsonObject[], asksUsage: boolean): string | false {
  if (!asksUsage) {
    return chunks.some((chunk) => "usage" in chunk) && "usage that nobody asked for";
  }
  const last = chunks.at(-1) ?? {};
  const isAlone = list(last.choices).length === 0 && typeof fields(last.usage).total_tokens === "number";
  const isOnly = chunks.slice(0, -1).every((chunk) => chunk.usage === null);
  return !(isAlone && isOnly) && "usage is not in the last chunk alone";
}

const isDone = ({ data }: Frame) => data === "[DONE]";

/** Everything that is wrong with a stream. Empty: it is well-formed, and over. */
export function chatGrammarFaults(text: string, asksUsage: boolean): string[] {
  const frames = framesOf(text);
  const chunks = frames.filter((frame) => !isDone(frame)).map(({ data }) => fields(JSON.parse(data)));
  const [first = {}] = chunks;
  const choices = new Map<unknown, Progress>();
  const faults = chunks.flatMap((chunk) => [
    ...headFaults(chunk, first),
    ...list(chunk.choices).flatMap((choice) => {
      const progress = choices.get(choice.index) ?? { hasRole: false, calls: 0, isFinished: false };
      choices.set(choice.index, progress);
      return choiceFaults(choice, progress);
    }),
  ]);
  const ends = [
    frames.findIndex(isDone) !== frames.length - 1 && "no end, or something after it",
    frames.some(({ name }) => name !== null) && "a named event",
    choices.size === 0 && "no choice",
    [...choices.values()].some(({ isFinished }) => !isFinished) && "a choice without an end",
    usageFault(chunks, asksUsage),
  ];
  return [...faults, ...ends].filter((fault) => fault !== false);
}
