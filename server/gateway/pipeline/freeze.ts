import type { Caller } from "@/server/access";
import { GatewayError } from "@/server/base/errors";
import type { Buyer, Hold } from "@/server/billing";
import type { SoldModel } from "@/server/catalog";
import type { AuthedCall, PaidCall } from "./call";
import {
  affordableOutput,
  type Ceiling,
  ceilingOf,
  inputCeiling,
  MIN_CAPPED_TOKENS,
  mostOf,
} from "./ceiling";
import type { GatewayDeps } from "./gateway-deps";

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

/** Runs a call whose money is frozen. Any failure returns the money. */
export async function releasingOnFailure<T>(
  deps: GatewayDeps,
  hold: Hold,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // A failed capture has already decided about the hold.
    if (!(error instanceof GatewayError && error.kind === "billingFailed")) {
      deps.billing.release(hold, error instanceof GatewayError ? error.slug : "internal");
    }
    throw error;
  }
}
