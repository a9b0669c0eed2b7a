import { type Billing, costNanos, type Hold, type UsageSource } from "@/server/billing";
import type { Catalog, Model } from "@/server/catalog";
import { type Channels, UpstreamFault } from "@/server/channels";
import type { Clock } from "@/server/clock";
import { GatewayError } from "@/server/errors";
import type { Log } from "@/server/log";
import type { Metrics } from "@/server/metrics";
import { formatMoney } from "@/server/money";
import type { UpstreamWords } from "@/server/protocol/upstream-error";
import type { Usage } from "@/server/protocol/usage";
import type { AuthedCall } from "./endpoint";

export type ChatDeps = {
  catalog: Catalog;
  billing: Billing;
  channels: Channels;
  metrics: Metrics;
  log: Log;
  clock: Clock;
  keepAliveMs: number;
  idleTimeoutMs: number;
};

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

/** What an error inside a 2xx answer means: the client's fault when the body says so, else the channel's. */
export function faultOf(words: UpstreamWords): GatewayError | UpstreamFault {
  return words.status !== null && [400, 413, 422].includes(words.status)
    ? new GatewayError("upstreamRejected", words.message)
    : new UpstreamFault("refused", words.message, { ...(words.status && { status: words.status }) });
}
