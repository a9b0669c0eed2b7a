import { isThinking } from "../block-kinds";
import { isJsonObject, type JsonObject, objects } from "../fields";
import { isForeign } from "../signed-thinking";

/** Messages without some of their blocks, nor those that held no others. */
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
 * Whether the assistant's turn that is still going on (calls whose results come with this request, a prefill) begins
 * with its thinking, as the vendor wants it with a budget (litellm#15601). A turn is all of a tool loop; those that
 * are over do not count. The messages-dialect form of what `chat-to-messages/turns.ts` asks.
 */
function isThinkingIntact(messages: JsonObject[]): boolean {
  const said = messages.filter((message) => message.role !== "system");
  const latest = said.findLastIndex((message) => message.role === "assistant");
  const replies = said.slice(latest + 1);
  if (latest === -1 || (replies.length > 0 && !replies.some(answers))) {
    return true;
  }
  const start = said.findLastIndex((message, index) => index < latest && speaks(message)) + 1;
  return said
    .slice(start, latest + 1)
    .some((message) => message.role === "assistant" && isThinking(objects(message.content)[0]));
}

/**
 * What must change in a history before a vendor that checks signatures sees it: thinking that it did not sign goes
 * (CLIProxyAPI#1584), and a turn of nothing else with it. With a thinking budget, a turn that is still going on must
 * have its thinking: where that went, the call does without, and then the vendor wants none back. Members that stay as
 * they are, are undefined.
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
