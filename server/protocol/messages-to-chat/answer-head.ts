import type { JsonObject } from "../fields";
import { mintToolId, toMessagesToolId } from "../tool-ids";
import type { ToolNames } from "../tool-names";
import type { AnswerContext } from "../upstream-plan";

/** What an answer goes back with. `names`: those under which the request's tools went. */
export type AnswerCall = { context: AnswerContext; names: ToolNames };

/** What a message says of itself, whole or streamed. `id`: the chat answer's. */
export function messageHead(id: unknown, context: AnswerContext): JsonObject {
  const own = typeof id === "string" && id !== "" ? id : context.fallbackId;
  return {
    id: `msg_${own.replace(/^(chatcmpl|msg)[-_]/, "")}`,
    type: "message",
    role: "assistant",
    model: context.model,
  };
}

/** A call's block before its input. `index`: its place among the answer's calls. */
export function toolUseHead(
  call: { index: number; id: string; name: string },
  { context, names }: AnswerCall,
): { type: "tool_use"; id: string; name: string } {
  const id = call.id ? toMessagesToolId(call.id) : mintToolId(context.fallbackId, call.index);
  return { type: "tool_use", id, name: names.toClient(call.name) };
}
