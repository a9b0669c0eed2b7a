import { estimateInput } from "../estimate";
import { type JsonObject, textOf } from "../fields";
import { carriedText, fromEnvelope } from "../pivot/sealed";
import { expandCompaction } from "./compaction";

/** What a model reads of an item: of thinking that it carries, the text in it, and nobody else's is sent. */
function readable({ id: _id, status: _status, encrypted_content: sealed, output, ...item }: JsonObject) {
  const carried = fromEnvelope(textOf(sealed));
  const said = [item.content, output, carried?.type === "thinking" ? carriedText(carried) : null];
  return { ...item, content: said.flat().filter((part) => part !== undefined && part !== null) };
}

/** Our estimate of items as a prompt, in tokens. */
export const estimateItems = (items: JsonObject[]): number =>
  estimateInput({ messages: items.map((item) => readable(expandCompaction(item))) });

/** The same of a request without its items. */
export const estimateRest = ({ instructions, tools, text, tool_choice: choice }: JsonObject): number =>
  estimateInput({ system: instructions, tools, response_format: text, output_config: choice });
