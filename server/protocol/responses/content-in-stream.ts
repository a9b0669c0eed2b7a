/** The content of items that a stream should show in pieces, and the events of the pieces that are missing. */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { isEmptyArguments } from "../tools/call-arguments";
import { completeItem } from "./complete";
import { type BegunItem, namesOf, type PartList, type StreamPart } from "./items-in-stream";
import { newPart, partAdded, partEnd, partRest } from "./parts-in-stream";

/** The texts of calls, by the item's type: the member, and the name of its events. */
export const inputs: Record<string, { member: "arguments" | "input"; name: string }> = {
  function_call: { member: "arguments", name: "function_call_arguments" },
  custom_tool_call: { member: "input", name: "custom_tool_call_input" },
};

export const isCallType = (type: unknown): boolean => inputs[textOf(type)] !== undefined;

/** An item without its content, as at its beginning. */
export function blankItem(item: JsonObject): JsonObject {
  const blank: JsonObject = {
    ...(item.content !== undefined && { content: [] }),
    ...(item.summary !== undefined && { summary: [] }),
    ...(item.arguments !== undefined && { arguments: "" }),
    ...(item.input !== undefined && { input: "" }),
  };
  const isGrown = item.type === "message" || item.type === "reasoning" || isCallType(item.type);
  return isGrown ? { ...item, ...blank } : item;
}

/** The first event of an item that lacks it. */
export const firstEvent = ({ place }: BegunItem, item: JsonObject): JsonObject => ({
  ...{ type: "response.output_item.added", output_index: place },
  item: { ...blankItem(item), ...(item.type !== "reasoning" && { status: "in_progress" }) },
});

/** Whether arguments are an empty object, with which some vendors begin a call before its arguments. */
export const isPlaceholder = (sent: unknown): boolean =>
  isJsonObject(sent)
    ? Object.keys(sent).length === 0
    : textOf(sent).trim() !== "" && isEmptyArguments(textOf(sent));

/** A part of an item, and its first event if that is missing. */
export function partOf(
  item: BegunItem,
  { list, index, type }: { list: PartList; index: number; type: string },
): { part: StreamPart; added: JsonObject[] } {
  const place = `${list} ${index}`;
  const found = item.parts.get(place);
  if (found) {
    return { part: found, added: [] };
  }
  const part = newPart(list, index, type);
  item.parts.set(place, part);
  return { part, added: [partAdded(item, part)] };
}

/** The parts of a whole item that a stream shows: of two forms of thinking, the one that has come, or the summary. */
function partsOf(item: BegunItem, whole: JsonObject): { list: PartList; parts: JsonObject[] }[] {
  const { content, summary } = completeItem(whole);
  if (item.type === "message") {
    return [{ list: "content", parts: objects(content) }];
  }
  if (item.type !== "reasoning") {
    return [];
  }
  const lists = [
    { list: "content" as const, parts: objects(content) },
    { list: "summary" as const, parts: objects(summary) },
  ].filter(({ parts }) => parts.length > 0);
  const begun = lists.filter(({ list }) => item.parts.has(`${list} 0`));
  return begun.length > 0 ? begun : lists.slice(-1);
}

/** The rest of a call's text. */
export function inputRest(item: BegunItem, whole: string): JsonObject[] {
  const rest = item.input.restOf(whole);
  const { name = "" } = inputs[item.type] ?? {};
  if (rest === "") {
    return [];
  }
  item.input.read(rest);
  if (item.type === "function_call") {
    item.scan.read(rest);
  }
  return [{ type: `response.${name}.delta`, ...namesOf(item), delta: rest }];
}

/** The content of a whole item that has not come in pieces. */
export function contentRest(item: BegunItem, whole: JsonObject): JsonObject[] {
  const { member } = inputs[item.type] ?? {};
  if (member !== undefined) {
    return inputRest(item, textOf(completeItem(whole)[member]));
  }
  return partsOf(item, whole).flatMap(({ list, parts }) =>
    parts.flatMap((wholePart, index) => {
      const type = textOf(wholePart.type) || "output_text";
      const { part, added } = partOf(item, { list, index, type });
      return [...added, ...partRest(item, part, wholePart)];
    }),
  );
}

/** The last events of an item's texts and parts that have not come. */
export function contentEnds(item: BegunItem, whole: JsonObject): JsonObject[] {
  const { member, name = "" } = inputs[item.type] ?? {};
  if (member !== undefined) {
    const isDone = item.isInputDone;
    item.isInputDone = true;
    const end = { type: `response.${name}.done`, ...namesOf(item), [member]: textOf(whole[member]) };
    return isDone ? [] : [end];
  }
  return partsOf(item, whole).flatMap(({ list, parts }) =>
    parts.flatMap((wholePart, index) => {
      const part = item.parts.get(`${list} ${index}`);
      return part ? partEnd(item, part, wholePart) : [];
    }),
  );
}
