/**
 * Blocks that come whole where a stream has pieces: the text or the input is in the start of its block, or all blocks
 * are in the start of the message. Some clients read only pieces: Claude Code empties a block at its start.
 */
import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { printText } from "../json/print";

const deltaOf = (index: unknown, delta: JsonObject): JsonObject => ({
  type: "content_block_delta",
  index,
  delta,
});

/** The start of a block without its text, and the text as deltas. */
export function splitStart(event: JsonObject, block: JsonObject): JsonObject[] {
  const { index } = event;
  switch (block.type) {
    case "text":
      return block.text === ""
        ? [event]
        : [
            { ...event, content_block: { ...block, text: "" } },
            deltaOf(index, { type: "text_delta", text: block.text }),
          ];
    case "thinking": {
      const { thinking, signature } = block;
      return [
        { ...event, content_block: { ...block, thinking: "", signature: "" } },
        ...(thinking === "" ? [] : [deltaOf(index, { type: "thinking_delta", thinking })]),
        ...(signature === "" ? [] : [deltaOf(index, { type: "signature_delta", signature })]),
      ];
    }
    default:
      return [event];
  }
}

/** The input of a call's start as a delta. null: it is empty, or there is none. */
export function inputDelta(index: number, { input }: JsonObject): JsonObject | null {
  const partial_json = isJsonObject(input) ? atOnce(printText(input)) : textOf(input);
  const isEmpty = partial_json === "" || (isJsonObject(input) && Object.keys(input).length === 0);
  return isEmpty ? null : deltaOf(index, { type: "input_json_delta", partial_json });
}

/** The blocks of a message's start, as the events of a stream. */
export const blockEvents = (blocks: JsonObject[]): JsonObject[] =>
  blocks.flatMap((content_block, index) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_stop", index },
  ]);
