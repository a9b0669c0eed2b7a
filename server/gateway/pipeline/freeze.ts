import type { Caller } from "@/server/access";
import type { Nanos } from "@/server/base/money";
import type { Units } from "@/server/base/units";
import type { Buyer } from "@/server/billing";
import type { Model, SoldModel } from "@/server/catalog";
import { affordable, ceiling as highestPrice, type Most } from "@/server/pricing";
import type { AuthedCall } from "./call";
import { inputCeiling } from "./call-limits";
import type { GatewayDeps, PaidCall } from "./paid-call";
import type { UsageCeiling } from "./plausible-usage";

/** A capped answer below this is useless (design, section 3). */
export const MIN_CAPPED_TOKENS = 1_024;

/**
 * The most that a call may use. `choices`: answers that may each be as long as the limit. `units`: the most of the
 * units that are paid in addition to tokens of text. `tiers`: the service tiers that can serve it; left out: any.
 */
export type Ceiling = {
  inputTokens: number;
  maxOutputTokens: number | null;
  choices: number;
  units?: Units | undefined;
  tiers?: Most["tiers"];
};

/** The usage that the hold covers. `maxOutputTokens`: the limit that each answer is sent with. */
export const mostOf = (
  model: Model,
  { inputTokens, choices, units, maxOutputTokens }: Ceiling,
): UsageCeiling => ({
  kind: model.kind,
  input: inputCeiling(inputTokens, model.kind),
  output: (maxOutputTokens ?? model.maxOutputTokens) * choices,
  units: units ?? {},
});

/** The most that a call uses next to its output. */
const promptCeiling = (
  { kind }: Model,
  { inputTokens, units, tiers }: Pick<Ceiling, "inputTokens" | "units" | "tiers">,
): Omit<Most, "output"> => ({
  input: inputCeiling(inputTokens, kind),
  units: { request: 1, ...units },
  tiers,
});

/** Returns the most that a call costs, by the output tokens of each answer. */
function ceilingOf(model: Model, want: Ceiling): (output: number) => Nanos {
  const most = promptCeiling(model, want);
  return (output) => highestPrice({ ...most, output: output * want.choices }, model.prices);
}

/** The output limit of each answer that an amount can pay. Below 0: it cannot even pay the prompt. */
export function affordableOutput(model: Model, want: Ceiling, amount: Nanos): number {
  const ceiling = ceilingOf(model, want);
  const outputLimit = Math.min(want.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
  return amount >= ceiling(outputLimit)
    ? outputLimit
    : Math.floor(affordable(amount, promptCeiling(model, want), model.prices) / want.choices);
}

/**
 * Counts the most that a call can use in its account's minute, until the call has ended and its usage is known. Throws
 * 429.
 */
async function reserveTokens({ access }: GatewayDeps, call: AuthedCall, maxTokens: number): Promise<void> {
  const { headers, settle } = await access.limitTokens(call.caller, maxTokens);
  // An earlier `x-ratelimit-scope` stays: it says whose limit the headers about requests show.
  Object.assign(call.responseHeaders, { ...headers, ...call.responseHeaders });
  call.cleanups.push(() => void settle(call.logFields.tokens ?? 0));
}

/** The payer, and the caps. A caller without windows causes no more work. */
export function buyerOf({ accountId, keyId, monthlyCap, dailyCap, weeklyCap, account }: Caller): Buyer {
  const buyer = { accountId, keyId, keyCap: monthlyCap };
  const windows = { keyDay: dailyCap, keyWeek: weeklyCap, accountDay: account.dailyLimit };
  return Object.values(windows).some((cap) => cap !== null) ? { ...buyer, windows } : buyer;
}

/**
 * Freezes the most that the call can cost, of the account's month and of the key's cap; throws 402, and before any
 * money moves the 429 of too many tokens a minute. The returned limit is the client's, but never above the model's own.
 * The same limit is sent, because an upstream that could do more would produce output for which nothing is frozen. A
 * client that named none and can only afford a lower one gets that (`isCapped`).
 */
export async function freeze(
  deps: GatewayDeps,
  { call, model }: { call: AuthedCall; model: SoldModel },
  want: Ceiling,
): Promise<PaidCall & { maxOutputTokens: number; isCapped: boolean }> {
  const input = inputCeiling(want.inputTokens, model.kind);
  const ceiling = ceilingOf(model, want);
  const named = want.maxOutputTokens;
  const outputLimit = Math.min(named ?? model.maxOutputTokens, model.maxOutputTokens);
  await reserveTokens(deps, call, input + outputLimit * want.choices);
  const hold = await deps.billing.hold({
    requestId: call.requestId,
    ...buyerOf(call.caller),
    amount: ceiling(outputLimit),
    ...(named === null && { minimum: ceiling(Math.min(MIN_CAPPED_TOKENS, outputLimit)) }),
  });
  const isCapped = hold.amount < ceiling(outputLimit);
  const affordable = affordableOutput(model, want, hold.amount);
  const hasNamedLimit = named !== null && named > 0;
  const paid = {
    call,
    model,
    hold,
    ceiling: mostOf(model, { ...want, maxOutputTokens: affordable }),
    hasNamedLimit,
  };
  return { ...paid, maxOutputTokens: affordable, isCapped };
}
