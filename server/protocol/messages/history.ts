import { isThinking } from "../block-kinds";
import { isJsonObject, type JsonObject, objects } from "../fields";
import { isForeign } from "../signed-thinking";

/** Removes blocks from messages, and messages that lose all of their blocks. */
function withoutBlocks(messages: JsonObject[], isUnwanted: (block: JsonObject) => boolean): JsonObject[] {
  return messages.flatMap((message) => {
    const blocks = objects(message.content);
    if (!blocks.some(isUnwanted)) {
      return [message];
    }
    const content = blocks.filter((block) => !isUnwanted(block));
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}

const isResult = (block: JsonObject): boolean => block.type === "tool_result";
const answers = (message: JsonObject): boolean => objects(message.content).some(isResult);
const speaks = ({ role, content }: JsonObject): boolean =>
  role === "user" && (typeof content === "string" || objects(content).some((block) => !isResult(block)));

/**
 * Whether the assistant's unfinished turn (calls whose results come with this request, or a prefill) starts with its
 * thinking, as the vendor requires with a budget (litellm#15601). A turn is a whole tool loop; finished turns do not
 * count. `turns.ts` asks the same of a translated conversation.
 */
function isThinkingIntact(messages: JsonObject[]): boolean {
  const turns = messages.filter((message) => message.role !== "system");
  const latest = turns.findLastIndex((message) => message.role === "assistant");
  const replies = turns.slice(latest + 1);
  if (latest === -1 || (replies.length > 0 && !replies.some(answers))) {
    return true;
  }
  const start = turns.findLastIndex((message, index) => index < latest && speaks(message)) + 1;
  return turns
    .slice(start, latest + 1)
    .some((message) => message.role === "assistant" && isThinking(objects(message.content)[0]));
}

/**
 * The changes to a history for a vendor that checks signatures: removes thinking that the vendor did not sign
 * (CLIProxyAPI#1584), and turns with nothing else. With a thinking budget, an unfinished turn must have its thinking:
 * if that was removed, the call goes without a budget, and then the vendor wants no thinking back. Unchanged members
 * are undefined.
 */
export function withoutUnsignedThinking(fields: JsonObject): {
  messages?: JsonObject[];
  thinking?: JsonObject;
} {
  const messages = objects(fields.messages);
  if (!messages.some((message) => objects(message.content).some(isForeign))) {
    return {};
  }
  const kept = withoutBlocks(messages, isForeign);
  const isBudgeted = isJsonObject(fields.thinking) && fields.thinking.type === "enabled";
  return isBudgeted && !isThinkingIntact(kept)
    ? { messages: withoutBlocks(kept, isThinking), thinking: { type: "disabled" } }
    : { messages: kept };
}
