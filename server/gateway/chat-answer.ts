import { costNanos, type Hold, type UsageSource } from "@/server/billing";
import type { Model } from "@/server/catalog";
import { type Dispatched, readText, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { GatewayError } from "@/server/errors";
import { formatMoney } from "@/server/money";
import { type ChatAnswer, toChatAnswer } from "@/server/protocol/chat-response";
import { readUpstreamError } from "@/server/protocol/upstream-error";
import type { Usage } from "@/server/protocol/usage";
import type { ChatDeps } from "./chat";
import type { AuthedCall } from "./endpoint";

/** A chat call whose money is frozen. */
export type ChatCall = {
  call: AuthedCall;
  model: Model;
  hold: Hold;
  /** Our estimate of the prompt. */
  inputTokens: number;
  wantsUsage: boolean;
  body: (route: { upstreamName: string }) => string;
};

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Captures what a call cost and puts it in the call's log line. Throws billingFailed. */
export async function charge(
  deps: ChatDeps,
  chat: ChatCall,
  counted: { usage: Usage; source: UsageSource; channelId: string },
): Promise<void> {
  const { model, call } = chat;
  const amount = costNanos(counted.usage, model.prices);
  await deps.billing.capture(chat.hold, {
    ...counted,
    amount,
    prices: model.prices,
    keyId: call.caller.keyId,
    modelId: model.id,
  });
  Object.assign(call.facts, {
    channelId: counted.channelId,
    inputTokens: counted.usage.inputTokens,
    outputTokens: counted.usage.outputTokens,
    usageSource: counted.source,
    cost: formatMoney(amount),
  });
}

/** Throws what an error inside a 2xx answer means: the client's fault when the body says so, else the channel's. */
export function throwUpstreamError(words: { message: string; status: number | null }): never {
  if (words.status === 400 || words.status === 422) {
    throw new GatewayError("upstreamRejected", words.message);
  }
  throw new UpstreamFault("refused", words.message, { ...(words.status && { status: words.status }) });
}

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
    throwUpstreamError(words);
  }
  const { model, inputTokens } = chat;
  const answer = toChatAnswer(value, { model: model.id, inputTokens, now: deps.clock() });
  if (!answer) {
    throw new UpstreamFault("malformed", "the answer is not a chat completion");
  }
  return answer;
}

/** The JSON answer. The charge is on disk before the client gets it. */
export async function relayAnswer(deps: ChatDeps, chat: ChatCall): Promise<Response> {
  const { route, accepted }: Dispatched<ChatAnswer> = await deps.channels.dispatch({
    modelId: chat.model.id,
    body: chat.body,
    accept: (reply) => readAnswer(deps, chat, reply),
    signal: chat.call.request.signal,
  });
  await charge(deps, chat, { usage: accepted.usage, source: accepted.source, channelId: route.channelId });
  return new Response(accepted.body, { headers: { "content-type": "application/json; charset=utf-8" } });
}
