import type { Caller, Gatekeeper } from "@/server/access";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { Buyer, Hold } from "@/server/billing";
import type { SoldModel } from "@/server/catalog";
import type { AuthedCall, PaidCall } from "./call";
import { inputCeiling, limitsOf, MIN_CAPPED_TOKENS, type MostUsage, mostOf } from "./ceiling";
import type { GatewayDeps } from "./gateway-deps";

type Reserved = Awaited<NonNullable<ReturnType<Gatekeeper["limitTokens"]>>>;

/**
 * Counts the most that a call can use in its account's minute, until the call has ended and its usage is known. Throws
 * 429.
 */
async function reserveTokens(call: AuthedCall, reserved: Promise<Reserved>): Promise<void> {
  const { headers, settle } = await reserved;
  // An earlier `x-ratelimit-scope` stays: it says whose limit the headers about requests show.
  Object.assign(call.responseHeaders, { ...headers, ...call.responseHeaders });
  call.cleanups.push(() => void settle(call.logFields.tokens ?? 0));
}

/**
 * Throws 503 for a call that this process had no time for: its client may have given up, and others wait as long. Its
 * money is not frozen, and it may be sent again.
 */
export function refuseLate(waitedMs: number, longestWaitMs: number): void {
  if (waitedMs > longestWaitMs) {
    const cause = new Error(`the call waited ${Math.round(waitedMs)} ms for its turn`);
    throw new GatewayError("unavailable", "", { cause });
  }
}

/** The payer, and the caps. A caller without windows causes no more work. */
export function buyerOf({ accountId, keyId, monthlyCap, dailyCap, weeklyCap, account }: Caller): Buyer {
  const buyer = { accountId, keyId, keyCap: monthlyCap };
  const windows = { keyDay: dailyCap, keyWeek: weeklyCap, accountDay: account.dailyLimit };
  return Object.values(windows).some((cap) => cap !== null) ? { ...buyer, windows } : buyer;
}

/** The paid call, and its output limit. `isCapped`: the limit is lower than the model's, because the money is short. */
export type FrozenCall = PaidCall & { maxOutputTokens: number; isCapped: boolean };

/**
 * Freezes the most that the call can cost, of the account's month and of the key's cap; throws 402, and before any
 * money moves the 429 of too many tokens a minute. The returned limit is the client's, but never above the model's own.
 * The same limit is sent, because an upstream that could do more would produce output for which nothing is frozen. A
 * client that named none and can only afford a lower one gets that (`isCapped`). A call that has waited too long is a
 * 503, and freezes nothing.
 */
export function freezeForCall(
  deps: GatewayDeps,
  { call, model }: { call: AuthedCall; model: SoldModel },
  want: MostUsage,
): Eventual<FrozenCall> {
  refuseLate(performance.now() - call.readyAt, deps.longestWaitMs);
  const input = inputCeiling(want.inputTokens, model.kind);
  const { ceiling, affordable } = limitsOf(model, want);
  const named = want.maxOutputTokens;
  const outputLimit = Math.min(named ?? model.maxOutputTokens, model.maxOutputTokens);
  const amount = ceiling(outputLimit);
  const paidBy = (hold: Hold) => {
    const maxOutputTokens = Math.min(outputLimit, affordable(hold.amount));
    return {
      ...{ call, model, hold, maxOutputTokens },
      ceiling: mostOf(model, { ...want, maxOutputTokens }),
      hasNamedLimit: named !== null && named > 0,
      isCapped: hold.amount < amount,
    };
  };
  const hold = () =>
    deps.billing.hold({
      requestId: call.requestId,
      ...buyerOf(call.caller),
      amount,
      ...(named === null && { minimum: ceiling(Math.min(MIN_CAPPED_TOKENS, outputLimit)) }),
    });
  const reserved = deps.access.limitTokens(call.caller, input + outputLimit * want.choices);
  return whenHere(reserved === null ? hold() : reserveTokens(call, reserved).then(hold), paidBy);
}

/** Returns the money of a call that failed. A failed capture has already decided about the hold. */
export function releaseAfter({ billing }: GatewayDeps, hold: Hold, error: unknown): void {
  if (!(error instanceof GatewayError && error.kind === "billingFailed")) {
    billing.release(hold, error instanceof GatewayError ? error.slug : "internal");
  }
}

/** Runs a call whose money is frozen. Any failure returns the money. */
export async function releasingOnFailure<T>(
  deps: GatewayDeps,
  hold: Hold,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    releaseAfter(deps, hold, error);
    throw error;
  }
}
