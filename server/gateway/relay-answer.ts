import { type Dispatched, readText, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { newId } from "@/server/ids";
import { type ChatAnswer, toChatAnswer } from "@/server/protocol/chat-response";
import { readUpstreamError } from "@/server/protocol/upstream-error";
import type { Reply } from "@/server/reply";
import { type ChatCall, type ChatDeps, charge, faultOf } from "./chat-call";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

async function readAnswer(deps: ChatDeps, chat: ChatCall, reply: UpstreamReply): Promise<ChatAnswer> {
  const text = await readText(reply.body, MAX_ANSWER_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UpstreamFault("malformed", "the answer is not JSON", { cause: error });
  }
  const words = readUpstreamError(value);
  if (words) {
    throw faultOf(words);
  }
  const { model, inputTokens } = chat;
  const fallbackId = newId("chatcmpl");
  const answer = toChatAnswer(value, { model: model.id, inputTokens, fallbackId, now: deps.clock() });
  if (!answer) {
    throw new UpstreamFault("malformed", "the answer is not a chat completion");
  }
  return answer;
}

/** The JSON answer. The charge is on disk before the client gets it. */
export async function relayAnswer(deps: ChatDeps, chat: ChatCall): Promise<Reply> {
  const { route, accepted }: Dispatched<ChatAnswer> = await deps.channels.dispatch({
    modelId: chat.model.id,
    body: chat.body,
    accept: (reply) => readAnswer(deps, chat, reply),
    signal: chat.call.request.signal,
  });
  await charge(deps, chat, { usage: accepted.usage, source: accepted.source, channelId: route.channelId });
  return { status: 200, headers: { "content-type": "application/json; charset=utf-8" }, body: accepted.body };
}
