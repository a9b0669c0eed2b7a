import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { toChatToolId } from "../tool-ids";
import type { AnswerContext, Counted } from "../upstream-plan";
import { writeChatUsage } from "../usage";
import type { MessagesRequest } from "./request";
import { signedThinking } from "./signed-thinking";

/** What an answer is translated with. */
export type TranslatedCall = { context: AnswerContext; request: MessagesRequest };

const cutReasons = new Map<unknown, string>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
]);

/**
 * A stop reason in the chat dialect. `callCount`: of the client's own tools. A call that was cut off is `length`
 * (litellm#19028), and calls of the vendor's own tools alone are an answer like any other.
 */
export function finishReason(stopReason: unknown, callCount: number, { request }: TranslatedCall): string {
  const cut = cutReasons.get(stopReason);
  if (cut || callCount === 0) {
    return cut ?? "stop";
  }
  return request.usesLegacyFunctions ? "function_call" : "tool_calls";
}

/** What every object of one chat answer begins with. */
export function answerHead(
  id: unknown,
  { context }: TranslatedCall,
): { id: string; created: number; model: string } {
  const sent = typeof id === "string" ? id : "";
  const isOurs = sent === "" || sent === context.fallbackId;
  return {
    id: isOurs ? context.fallbackId : `chatcmpl-${sent.replace(/^msg_/, "")}`,
    created: Math.floor(context.now.getTime() / 1000),
    model: context.model,
  };
}

/** Who is called: `position` counts the client's calls of this answer, from 0. */
export function callHead(
  block: JsonObject,
  position: number,
  { context, request }: TranslatedCall,
): { id: string; name: string } {
  const { soleName, toClient } = request.names;
  const name = textOf(block.name);
  return {
    id: toChatToolId(textOf(block.id) || `${context.fallbackId}_${position}`),
    name: name === "" && soleName !== null ? soleName : toClient(name),
  };
}

/** The call is of the tool that stands for the answer, if the request has one. */
export const isAnswer = ({ name }: JsonObject, { schemaTool }: MessagesRequest): boolean =>
  schemaTool !== null && name === schemaTool;

/** A block's whole input as arguments: never "", which agents fail to parse. */
export const inputText = (block: JsonObject): string =>
  JSON.stringify(isJsonObject(block.input) ? block.input : {});

/**
 * The answer's text. Where a tool's input stands for it, that alone: what the model said before or after would make
 * the JSON that the client asked for unreadable.
 */
function answerText(blocks: JsonObject[], request: MessagesRequest): string {
  const answer = blocks.find((block) => block.type === "tool_use" && isAnswer(block, request));
  return answer
    ? inputText(answer)
    : blocks.map((block) => (block.type === "text" ? textOf(block.text) : "")).join("");
}

function writeCalls(blocks: JsonObject[], call: TranslatedCall): JsonObject {
  const calls = blocks.map((block, position) => {
    const { id, name } = callHead(block, position, call);
    return { id, type: "function", function: { name, arguments: inputText(block) } };
  });
  if (calls.length === 0) {
    return {};
  }
  // Before tools, an answer had one call at most.
  return call.request.usesLegacyFunctions ? { function_call: calls[0]?.function } : { tool_calls: calls };
}

function writeMessage(blocks: JsonObject[], calls: JsonObject[], call: TranslatedCall): JsonObject {
  const text = answerText(blocks, call.request);
  const thinking = blocks.map((block) => (block.type === "thinking" ? textOf(block.thinking) : ""));
  const signed = blocks.map(signedThinking).filter((block) => block !== null);
  return {
    role: "assistant",
    // Spec 4.2 rule 1: a budget that thinking used up leaves an empty string; null is for an answer of calls alone.
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(thinking.join("") !== "" && { reasoning_content: thinking.join("") }),
    // For clients that hand it back, as LiteLLM's do: a tool loop with thinking goes on only with its signatures.
    ...(signed.length > 0 && { thinking_blocks: signed }),
    ...writeCalls(calls, call),
  };
}

/**
 * A messages-dialect answer as JSON text of a chat completion (spec 2.2). What the vendor's own tools did is left out.
 * null: not an answer of that dialect.
 */
export function toChatCompletion(message: JsonObject, counted: Counted, call: TranslatedCall): string | null {
  if (!Array.isArray(message.content)) {
    return null;
  }
  const blocks = objects(message.content);
  const calls = blocks.filter((block) => block.type === "tool_use" && !isAnswer(block, call.request));
  const choice = {
    index: 0,
    message: writeMessage(blocks, calls, call),
    logprobs: null,
    finish_reason: finishReason(message.stop_reason, calls.length, call),
  };
  const { id, ...head } = answerHead(message.id, call);
  return JSON.stringify({
    id,
    object: "chat.completion",
    ...head,
    choices: [choice],
    usage: writeChatUsage(counted.usage),
  });
}
