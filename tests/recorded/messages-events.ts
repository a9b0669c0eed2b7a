import type { JsonObject } from "./corpus";
import { fields, list, string } from "./json";
import { framesOf } from "./sse";

export const eventsOf = (text: string): JsonObject[] =>
  framesOf(text).map((frame) => fields(JSON.parse(frame.data)));

/** An incomplete block: the fragments of its input are JSON only when all have arrived. */
type OpenBlock = { block: JsonObject; json: string };

function addDelta({ block, ...open }: OpenBlock, delta: JsonObject): OpenBlock {
  switch (delta.type) {
    case "text_delta":
      block.text = string(block.text) + string(delta.text);
      break;
    case "thinking_delta":
      block.thinking = string(block.thinking) + string(delta.thinking);
      break;
    case "signature_delta":
      block.signature = string(block.signature) + string(delta.signature);
      break;
    case "citations_delta":
      block.citations = [...list(block.citations), fields(delta.citation)];
      break;
    case "compaction_delta":
      block.content = string(block.content) + string(delta.content);
      break;
    case "input_json_delta":
      return { block, json: open.json + string(delta.partial_json) };
    default:
      throw new TypeError(`not a delta of the dialect: ${String(delta.type)}`);
  }
  return { block, json: open.json };
}

const finished = ({ block, json }: OpenBlock): JsonObject =>
  json === "" ? block : { ...block, input: JSON.parse(json) as unknown };

/** Counts are cumulative: the later one replaces the earlier, unless it is null. */
const later = (before: JsonObject, after: JsonObject): JsonObject => ({
  ...before,
  ...Object.fromEntries(Object.entries(after).filter(([, value]) => value !== null)),
});

/** Builds the message from the events of a stream, by the dialect's grammar only. */
export function foldEvents(events: JsonObject[]): JsonObject {
  let message: JsonObject = {};
  const blocks: OpenBlock[] = [];
  for (const event of events) {
    const index = Number(event.index);
    const open = blocks[index];
    if (event.type === "message_start") {
      message = { ...fields(event.message) };
    } else if (event.type === "content_block_start") {
      blocks[index] = { block: { ...fields(event.content_block) }, json: "" };
    } else if (event.type === "content_block_delta" && open) {
      blocks[index] = addDelta(open, fields(event.delta));
    } else if (event.type === "message_delta") {
      const { type: _type, delta, usage, ...rest } = event;
      const counts = later(fields(message.usage), fields(usage));
      message = { ...message, ...fields(delta), ...rest, usage: counts };
    }
  }
  return { ...message, content: blocks.map(finished) };
}
