import { formatMoney, type Nanos } from "@/server/base/money";
import {
  ABOVE_HOLD,
  conditionsNote,
  cutNote,
  NOT_BELIEVED,
  OTHER_MODEL,
  pricesOfCharge,
  UNREAD_COUNTS,
} from "@/server/billing";
import type { Cut, UsageSource } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { conditionsOf, cost, type PriceSheet, priceOf, pricesOf } from "@/server/pricing";
import type { AnswerContext } from "@/server/protocol/upstream-plan";
import { totalTokens, type Usage } from "@/server/protocol/usage/usage";
import type { AuthedCall, ConversationCall, PaidCall } from "./call";
import { costOf, type Share } from "./channel-costs";
import type { GatewayDeps } from "./gateway-deps";
import { plausibleUsage } from "./plausible-usage";

/**
 * The counted usage of a call. `hasOtherModel`: another model did a part of the work, which has no price of its own
 * here. `isDelivered`: the client has the answer already. `cut`: why the answer is not whole.
 */
type CallUsage = {
  usage: Usage;
  source: UsageSource;
  hasOtherModel?: boolean;
  channelId: ChannelId;
  isDelivered?: boolean;
  cut?: Cut | null;
  /** The usage and the channel of each upstream call, if there were several. */
  shares?: Share[];
};

/** `reportedCost`: the price by the upstream's count. */
type Due = { usage: Usage; amount: Nanos; reportedCost: Nanos };

/** Computes the charge from the reported usage, capped at a plausible maximum. */
function billableUsage({ model, hold, ceiling }: PaidCall, counted: Usage): Due {
  const { prices } = model;
  const usage = withPaidUnits(counted, prices);
  const reportedCost = cost(usage, prices);
  const believed = reportedCost > hold.amount ? plausibleUsage(usage, ceiling) : usage;
  return {
    usage: believed,
    amount: believed === usage ? reportedCost : cost(believed, prices),
    reportedCost,
  };
}

/**
 * Returns notes for a charge above the hold, and logs it. If the client limited the output, the hold is meant to be a
 * ceiling: an upstream that counts more ignores the limit, counts something twice, or has a prompt that we count far
 * too low. A count many times higher is not believed, with or without a limit. An operator must look at either case.
 */
function notesAboveHold(
  deps: GatewayDeps,
  { call, model, hold, hasNamedLimit }: PaidCall,
  due: Due,
): string[] {
  const { amount, reportedCost } = due;
  const isCut = amount !== reportedCost;
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
      ...(isCut && { told: formatMoney(reportedCost) }),
    },
    isCut
      ? "an upstream counted far more than a call can come to, and was not believed"
      : "a call with a limit was charged above its hold",
  );
  return isCut ? [NOT_BELIEVED, ABOVE_HOLD] : [ABOVE_HOLD];
}

/** Adds the request itself as a unit, and leaves out units without a price: the ledger lists only paid units. */
function withPaidUnits(usage: Usage, sheet: PriceSheet): Usage {
  const prices = pricesOf(usage, sheet);
  let units: Record<string, number> | undefined;
  for (const [unit, count] of Object.entries({ request: 1, ...usage.units })) {
    if (priceOf(prices, unit) !== null) {
      units = { ...units, [unit]: count };
    }
  }
  return { ...usage, units };
}

/** Adds the call's cost, in currency units, to the answer if the client or its key asks for it. */
export const costReporter = (relayed: ConversationCall): Pick<AnswerContext, "price"> =>
  relayed.conversation.wantsCost || relayed.call.caller.tellsCost
    ? { price: (usage) => Number(formatMoney(billableUsage(relayed, usage).amount)) }
    : {};

/** Captures what a call cost and puts it in the call's log line. Throws billingFailed. */
export function charge(deps: GatewayDeps, paid: PaidCall, counted: CallUsage): Promise<void> {
  const { call, model, hold } = paid;
  const due = billableUsage(paid, counted.usage);
  const { usage, amount } = due;
  const facts = call.logFields;
  facts.tokens = totalTokens(usage);
  const attempt = call.attempts.findLast(({ channelId }) => channelId === counted.channelId);
  const counting = counted.shares ? call.attempts : [attempt];
  const priced = conditionsNote({ ...conditionsOf(usage, model.prices), window: model.window ?? null });
  const notes = [
    ...(priced === null ? [] : [priced]),
    ...(counted.cut ? [cutNote(counted.cut)] : []),
    ...(counted.hasOtherModel ? [OTHER_MODEL] : []),
    ...(counting.some((entry) => entry?.hasUnreadCounts) ? [UNREAD_COUNTS] : []),
    ...notesAboveHold(deps, paid, due),
  ];
  const settled = {
    usage,
    source: counted.source,
    channelId: counted.channelId,
    amount,
    cost: costOf(paid, counted),
    prices: pricesOfCharge(usage, model.prices),
    modelId: model.id,
    ...(notes.length > 0 && { note: notes.join(", ") }),
  };
  const onCharged = () => {
    const cost = formatMoney(amount);
    if (attempt) {
      deps.metrics.callCharged(attempt, { usage, money: Number(cost) });
    }
    facts.channelId = counted.channelId;
    facts.inputTokens = usage.inputTokens;
    facts.outputTokens = usage.outputTokens;
    facts.usageSource = counted.source;
    facts.cost = cost;
  };
  return deps.billing.capture(hold, settled, { isDelivered: counted.isDelivered ?? false, onCharged });
}

/** The header with a charged call's cost, in currency units, if the client or its key asks for it. */
export const costHeader = (
  { caller, logFields: facts }: AuthedCall,
  isWanted = false,
): Record<string, string> =>
  (isWanted || caller.tellsCost) && facts.cost !== undefined ? { "x-tollgate-cost": facts.cost } : {};
