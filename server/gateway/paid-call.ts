import type { Caller, Gatekeeper, LiveCalls } from "@/server/access";
import type { Clock, Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { Cut, UsageSource } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import type { Metrics } from "@/server/base/metrics";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import type { Redact } from "@/server/base/redactor";
import { nearestPrice, type Units } from "@/server/base/units";
import {
  ABOVE_HOLD,
  affordableTokens,
  type Billing,
  type Buyer,
  ceilingNanos,
  costNanos,
  cutNote,
  type Hold,
  NOT_BELIEVED,
  OTHER_MODEL,
  pricesOfCharge,
  UNREAD_COUNTS,
  unitsNanos,
} from "@/server/billing";
import type { Catalog, Model, SoldModel } from "@/server/catalog";
import { type Channels, type Route, UpstreamFault } from "@/server/channels";
import type { IdempotentCalls } from "@/server/idempotency";
import type { UpstreamWords } from "@/server/protocol/upstream-error";
import type { AnswerContext, ConversationRequest, UpstreamPlan } from "@/server/protocol/upstream-plan";
import { totalTokens, type Usage } from "@/server/protocol/usage";
import type { BackgroundQueue, ResponseStore, ThinkingStore } from "@/server/responses";
import type { Videos } from "@/server/videos";
import { believable, type Most } from "./believable";
import type { AuthedCall, ThinkingKeeper } from "./call";
import { inputCeiling } from "./call-limits";
import { costOf, type Share } from "./channel-costs";

export type GatewayDeps = {
  access: Gatekeeper;
  catalog: Catalog;
  billing: Billing;
  channels: Channels;
  videos: Videos;
  responses: ResponseStore;
  thinking: ThinkingStore;
  background: BackgroundQueue;
  idempotency: IdempotentCalls;
  /** Who reads videos' files, by task and account. */
  fileReaders: LiveCalls;
  metrics: Metrics;
  log: Log;
  clock: Clock;
  timers: Timers;
  /** Leaves out the credentials that this process has opened. */
  redact: Redact;
  keepAliveMs: number;
  /** Between two looks at a video's upstream: asking more often tells nothing new. */
  videoPollMs: number;
  /** Where the channel has none of its own. */
  idleTimeoutMs: number;
  /** Aborts when streams must end, for the process stops. */
  stopping: AbortSignal;
  /** Signs the addresses of videos that we serve. */
  keyPepper: string;
  previousKeyPepper: string | undefined;
  /** Where clients reach us; null: where this client says that it did. */
  publicUrl: string | null;
  /** In which amounts are told. */
  currency: string;
};

/** A call whose money is frozen. `most`: for what. `hasNamedLimit`: for an output that the client has bounded. */
export type PaidCall = { call: AuthedCall; model: SoldModel; hold: Hold; most: Most; hasNamedLimit: boolean };

/** A conversational call whose money is frozen. */
export type ConversationCall = PaidCall & {
  conversation: ConversationRequest;
  /** Takes the thinking of its answer. null: none is kept. */
  thinking: ThinkingKeeper | null;
  /** The call for one route's upstream. Throws cannotConvert. */
  plan: (route: Route) => Promise<UpstreamPlan>;
};

/** Below this a capped answer is of no use to anyone (design, section 3). */
const MIN_CAPPED_TOKENS = 1_024;

/**
 * What a call may come to. `choices`: answers that each may be as long as the limit. `units`: the most of what is paid
 * for beside tokens of text.
 */
type Ceiling = {
  inputTokens: number;
  maxOutputTokens: number | null;
  choices: number;
  units?: Units | undefined;
};

/** What is frozen for. `maxOutputTokens` of each answer: as it is sent. */
export const mostOf = (model: Model, { inputTokens, choices, units, maxOutputTokens }: Ceiling): Most => ({
  kind: model.kind,
  input: inputCeiling(inputTokens, model.kind),
  output: (maxOutputTokens ?? model.maxOutputTokens) * choices,
  units: units ?? {},
});

/**
 * Counts the most that a call can come to in its account's minute, until it has ended and what it used is known.
 * Throws 429.
 */
async function reserveTokens({ access }: GatewayDeps, call: AuthedCall, most: number): Promise<void> {
  const { headers, settle } = await access.limitTokens(call.caller, most);
  // What is shown already says whose limit it is of.
  Object.assign(call.shown, { ...headers, ...call.shown });
  call.afterwards.push(() => void settle(call.facts.tokens ?? 0));
}

/** Who pays, and under which caps. A caller without windows costs nothing more. */
export function buyerOf({ accountId, keyId, monthlyCap, dailyCap, weeklyCap, account }: Caller): Buyer {
  const buyer = { accountId, keyId, keyCap: monthlyCap };
  const windows = { keyDay: dailyCap, keyWeek: weeklyCap, accountDay: account.dailyLimit };
  return Object.values(windows).some((cap) => cap !== null) ? { ...buyer, windows } : buyer;
}

/**
 * Freezes the most that the call can cost, of the account's month and of the key's cap; throws 402, and before any
 * money moves the 429 of too many tokens a minute. The limit that comes back is the client's, but never above the
 * model's own, and so is what may be sent: an upstream that could do more would produce what nothing is frozen for. A
 * client that named none and can afford no more than a lower one gets that (`isCapped`).
 */
export async function freeze(
  deps: GatewayDeps,
  { call, model }: { call: AuthedCall; model: SoldModel },
  want: Ceiling,
): Promise<PaidCall & { maxOutputTokens: number; isCapped: boolean }> {
  const { prices } = model;
  const input = inputCeiling(want.inputTokens, model.kind);
  const others =
    model.unitPrices.length === 0 ? 0n : unitsNanos({ request: 1, ...want.units }, model.unitPrices);
  const ceiling = (output: number) =>
    nanos(ceilingNanos({ input, output: output * want.choices }, prices) + others);
  const named = want.maxOutputTokens;
  const most = Math.min(named ?? model.maxOutputTokens, model.maxOutputTokens);
  await reserveTokens(deps, call, input + most * want.choices);
  const hold = await deps.billing.hold({
    requestId: call.requestId,
    ...buyerOf(call.caller),
    amount: ceiling(most),
    ...(named === null && { minimum: ceiling(Math.min(MIN_CAPPED_TOKENS, most)) }),
  });
  const isCapped = hold.amount < ceiling(most);
  const budget = nanos(hold.amount - ceiling(0));
  const affordable = isCapped ? Math.floor(affordableTokens(budget, prices) / want.choices) : most;
  const hasNamedLimit = named !== null && named > 0;
  const paid = {
    call,
    model,
    hold,
    most: mostOf(model, { ...want, maxOutputTokens: affordable }),
    hasNamedLimit,
  };
  return { ...paid, maxOutputTokens: affordable, isCapped };
}

/** Runs a call whose money is frozen; whatever it throws returns the money. */
export async function releasingOnFailure<T>(
  deps: GatewayDeps,
  hold: Hold,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // A failed capture has settled the hold's fate already.
    if (!(error instanceof GatewayError && error.kind === "billingFailed")) {
      deps.billing.release(hold, error instanceof GatewayError ? error.slug : "internal");
    }
    throw error;
  }
}

/**
 * What a call came to. `hasOtherModel`: a part of it was another model's work, which has no price of its own here.
 * `isDelivered`: the client has the answer already. `cut`: why it is not whole.
 */
type Counted = {
  usage: Usage;
  source: UsageSource;
  hasOtherModel?: boolean;
  channelId: ChannelId;
  isDelivered?: boolean;
  cut?: Cut | null;
  /** Of several calls: what each used, and of which channel. */
  shares?: Share[];
};

/** `told`: what it would cost by an upstream's count. */
type Due = { usage: Usage; amount: Nanos; told: Nanos };

/** What is to be paid for what an upstream counts, as far as that can be true. */
function dueFor({ model, hold, most }: PaidCall, counted: Usage): Due {
  const { prices, unitPrices } = model;
  const usage = withPaidUnits(counted, unitPrices);
  const told = costNanos(usage, prices, unitPrices);
  const believed = told > hold.amount ? believable(usage, most) : usage;
  return {
    usage: believed,
    amount: believed === usage ? told : costNanos(believed, prices, unitPrices),
    told,
  };
}

/**
 * The hold of a call whose output the client has bounded is meant to be a ceiling: an upstream that counts more
 * ignores the limit, counts something twice, or has a prompt that we count far too low. One that counts many times more
 * is not believed, whatever the client named. Somebody is to look at either.
 */
function notesAboveHold(
  deps: GatewayDeps,
  { call, model, hold, hasNamedLimit }: PaidCall,
  due: Due,
): string[] {
  const { amount, told } = due;
  const isCut = amount !== told;
  if (!isCut && !(hasNamedLimit && amount > hold.amount)) {
    return [];
  }
  deps.metrics.billingIncidents.inc({ kind: "above_hold" });
  deps.log.error(
    {
      requestId: call.requestId,
      model: model.id,
      charged: formatMoney(amount),
      held: formatMoney(hold.amount),
      ...(isCut && { told: formatMoney(told) }),
    },
    isCut
      ? "an upstream counted far more than a call can come to, and was not believed"
      : "a call with a limit was charged above its hold",
  );
  return isCut ? [NOT_BELIEVED, ABOVE_HOLD] : [ABOVE_HOLD];
}

/** With the request itself where it has a price, and of units only those that cost something: the ledger says no other. */
function withPaidUnits({ units, ...tokens }: Usage, unitPrices: Model["unitPrices"]): Usage {
  const used = Object.entries({ request: 1, ...units }).filter(([unit]) => nearestPrice(unitPrices, unit));
  return used.length === 0 ? tokens : { ...tokens, units: Object.fromEntries(used) };
}

/** What a call costs, in currency units, for a client that asked, or whose key says so. */
export const tellsCost = (relayed: ConversationCall): Pick<AnswerContext, "price"> =>
  relayed.conversation.wantsCost || relayed.call.caller.tellsCost
    ? { price: (usage) => Number(formatMoney(dueFor(relayed, usage).amount)) }
    : {};

/** Captures what a call cost and puts it in the call's log line. Throws billingFailed. */
export async function charge(deps: GatewayDeps, paid: PaidCall, counted: Counted): Promise<void> {
  const { call, model, hold } = paid;
  const { prices, unitPrices } = model;
  const due = dueFor(paid, counted.usage);
  const { usage, amount } = due;
  call.facts.tokens = totalTokens(usage);
  const attempt = call.attempts.findLast(({ channelId }) => channelId === counted.channelId);
  const counting = counted.shares ? call.attempts : [attempt];
  const notes = [
    ...(counted.cut ? [cutNote(counted.cut)] : []),
    ...(counted.hasOtherModel ? [OTHER_MODEL] : []),
    ...(counting.some((one) => one?.hasUnreadCounts) ? [UNREAD_COUNTS] : []),
    ...notesAboveHold(deps, paid, due),
  ];
  await deps.billing.capture(
    hold,
    {
      usage,
      source: counted.source,
      channelId: counted.channelId,
      amount,
      cost: costOf(paid, counted),
      prices: unitPrices.length > 0 ? pricesOfCharge(usage, prices, unitPrices) : prices,
      keyId: call.caller.keyId,
      modelId: model.id,
      ...(notes.length > 0 && { note: notes.join(", ") }),
    },
    { isDelivered: counted.isDelivered ?? false },
  );
  if (attempt) {
    deps.metrics.callCharged(attempt, { usage, money: Number(formatMoney(amount)) });
  }
  Object.assign(call.facts, {
    channelId: counted.channelId,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    usageSource: counted.source,
    cost: formatMoney(amount),
  });
}

/** The header that tells what a charged call cost, in currency units, likewise. */
export const costHeader = ({ caller, facts }: AuthedCall, isWanted = false): Record<string, string> =>
  (isWanted || caller.tellsCost) && facts.cost !== undefined ? { "x-tollgate-cost": facts.cost } : {};

/** What an error inside a 2xx answer means: the client's fault when the body says so, else the channel's. */
export function faultOf(words: UpstreamWords): GatewayError | UpstreamFault {
  return words.status !== null && [400, 413, 422].includes(words.status)
    ? new GatewayError("upstreamRejected", words.message)
    : new UpstreamFault("refused", words.message, { ...(words.status && { status: words.status }) });
}
