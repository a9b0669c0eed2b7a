import type { Caller } from "@/server/access";
import { type Nanos, nanos } from "@/server/base/money";
import type { Units } from "@/server/base/units";
import { affordableTokens, type Buyer, ceilingNanos, unitsNanos } from "@/server/billing";
import type { Model, SoldModel } from "@/server/catalog";
import type { Most } from "./believable";
import type { AuthedCall } from "./call";
import { inputCeiling } from "./call-limits";
import type { GatewayDeps, PaidCall } from "./paid-call";

/** Below this a capped answer is of no use to anyone (design, section 3). */
export const MIN_CAPPED_TOKENS = 1_024;

/**
 * What a call may come to. `choices`: answers that each may be as long as the limit. `units`: the most of what is paid
 * for beside tokens of text.
 */
export type Ceiling = {
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

/** What a call costs at most with answers of so many tokens. */
function ceilingOf(model: Model, { inputTokens, choices, units }: Ceiling): (output: number) => Nanos {
  const { kind, prices, unitPrices } = model;
  const input = inputCeiling(inputTokens, kind);
  const others = unitPrices.length === 0 ? 0n : unitsNanos({ request: 1, ...units }, unitPrices);
  return (output) => nanos(ceilingNanos({ input, output: output * choices }, prices) + others);
}

/** The limit of each answer for which an amount is enough. Below 0: it is not even enough for the prompt. */
export function affordableOutput(model: Model, want: Ceiling, amount: Nanos): number {
  const ceiling = ceilingOf(model, want);
  const most = Math.min(want.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
  const budget = nanos(amount - ceiling(0));
  return amount >= ceiling(most) ? most : Math.floor(affordableTokens(budget, model.prices) / want.choices);
}

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
  const input = inputCeiling(want.inputTokens, model.kind);
  const ceiling = ceilingOf(model, want);
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
  const affordable = affordableOutput(model, want, hold.amount);
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
