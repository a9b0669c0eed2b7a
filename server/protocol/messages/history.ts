import { type Fields, isFields, objects } from "../fields";
import { SYNTHETIC_SIGNATURE } from "../synthetic-thinking";

/** Thinking that a vendor of this dialect would refuse: it checks its own signature, and nobody else's passes. */
const isUnsigned = (block: Fields): boolean =>
  block.type === "thinking" && (!block.signature || block.signature === SYNTHETIC_SIGNATURE);

/**
 * What must change in a history before a vendor that checks signatures sees it: thinking that it did not sign goes
 * (CLIProxyAPI#1584), and a turn of nothing else with it. With a thinking budget, the vendor wants every tool turn to
 * begin with its thinking: where that went, the call does without. Members that stay as they are, are undefined.
 */
export function withoutUnsignedThinking(fields: Fields): { messages?: Fields[]; thinking?: Fields } {
  const messages = objects(fields.messages);
  if (!messages.some((message) => objects(message.content).some(isUnsigned))) {
    return {};
  }
  const bareTurns: Fields[] = [];
  const kept = messages.flatMap((message) => {
    const blocks = objects(message.content);
    if (!blocks.some(isUnsigned)) {
      return [message];
    }
    const signed = blocks.filter((block) => !isUnsigned(block));
    if (signed.some((block) => block.type === "tool_use")) {
      bareTurns.push(message);
    }
    return signed.length > 0 ? [{ ...message, content: signed }] : [];
  });
  const isBudgeted = isFields(fields.thinking) && fields.thinking.type === "enabled";
  return { messages: kept, ...(isBudgeted && bareTurns.length > 0 && { thinking: { type: "disabled" } }) };
}
