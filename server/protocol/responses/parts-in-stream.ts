/** The parts of items that grow in a stream, and the events of each. */
import { type JsonObject, objects, textOf } from "../fields";
import { GrownText } from "./grown-text";
import { type BegunItem, growPart, namesOf, type PartList, type StreamPart } from "./items-in-stream";

export const newPart = (list: PartList, index: number, type: string): StreamPart => ({
  ...{ list, index, type, text: new GrownText(), annotations: 0, isEnded: false, isDone: false },
});

type PartEvents = { list: PartList; type: string; kind: string; step: "delta" | "done" };

const texts: [name: string, list: PartList, type: string, kind: string][] = [
  ["output_text", "content", "output_text", "message"],
  ["refusal", "content", "refusal", "message"],
  ["reasoning_text", "content", "reasoning_text", "reasoning"],
  ["reasoning_summary_text", "summary", "summary_text", "reasoning"],
];

/** Events of a text, and the part and the kind of item that they belong to. */
export const textEvents = new Map<unknown, PartEvents>(
  texts.flatMap(([name, list, type, kind]) =>
    (["delta", "done"] as const).map((step): [string, PartEvents] => [
      `response.${name}.${step}`,
      { list, type, kind, step },
    ]),
  ),
);

/** Events of a part as a whole. */
export const partEvents = new Map<unknown, { list: PartList; step: "added" | "done" }>([
  ["response.content_part.added", { list: "content", step: "added" }],
  ["response.content_part.done", { list: "content", step: "done" }],
  ["response.reasoning_summary_part.added", { list: "summary", step: "added" }],
  ["response.reasoning_summary_part.done", { list: "summary", step: "done" }],
]);

/** The member that holds the text of a part. */
export const memberOf = (type: string): "text" | "refusal" => (type === "refusal" ? "refusal" : "text");

const nameOf = (type: string): string =>
  texts.find(([, , partType]) => partType === type)?.[0] ?? "output_text";

const placeOf = ({ list, index }: StreamPart): JsonObject => ({
  [list === "summary" ? "summary_index" : "content_index"]: index,
});

/** The first event of a part. */
export const partAdded = (item: BegunItem, part: StreamPart): JsonObject => ({
  type: part.list === "summary" ? "response.reasoning_summary_part.added" : "response.content_part.added",
  ...namesOf(item),
  ...placeOf(part),
  part: {
    ...{ type: part.type, [memberOf(part.type)]: "" },
    ...(part.type === "output_text" && { annotations: [], logprobs: [] }),
  },
});

/** The rest of a part as its whole form has it, and its ends, where these events are missing. */
export function partRest(item: BegunItem, part: StreamPart, whole: JsonObject): JsonObject[] {
  const member = memberOf(part.type);
  const text = textOf(whole[member]);
  const head = { ...namesOf(item), ...placeOf(part) };
  const name = nameOf(part.type);
  const rest = part.text.restOf(text);
  const logprobs = part.type === "output_text" && {
    logprobs: part.text.length === 0 && Array.isArray(whole.logprobs) ? whole.logprobs : [],
  };
  const events: JsonObject[] =
    rest === "" ? [] : [{ type: `response.${name}.delta`, ...head, delta: rest, ...logprobs }];
  growPart(item, part, rest);
  const annotations = objects(whole.annotations);
  for (; part.annotations < annotations.length; part.annotations++) {
    events.push({
      ...{ type: "response.output_text.annotation.added", ...head, annotation_index: part.annotations },
      annotation: annotations[part.annotations],
    });
  }
  return events;
}

/** The last events of a part, where they are missing. */
export function partEnd(item: BegunItem, part: StreamPart, whole: JsonObject): JsonObject[] {
  const member = memberOf(part.type);
  const head = { ...namesOf(item), ...placeOf(part) };
  const ended = part.isEnded
    ? []
    : [{ type: `response.${nameOf(part.type)}.done`, ...head, [member]: textOf(whole[member]) }];
  const name = part.list === "summary" ? "reasoning_summary_part" : "content_part";
  const done = part.isDone
    ? []
    : [{ type: `response.${name}.done`, ...head, part: { type: part.type, ...whole } }];
  part.isEnded = true;
  part.isDone = true;
  return [...ended, ...done];
}
