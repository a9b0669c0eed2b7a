import type { Cancellation } from "@/server/base/cancellation";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { Nanos } from "@/server/base/money";
import { isTransient } from "@/server/db";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { BillingContext } from "../context";
import type { Buyer } from "../months/caps";
import type { Payer } from "../months/months";
import type { Granted } from "./freeze";
import { type HoldRequest, quotaExhausted, type Shortfall } from "./holds";
import type { Drawn } from "./settlement";

/**
 * Money frozen for one call, in nano-units. Exactly one `capture` or `release` ends it. `lost` is cancelled, with the 402 as
 * its reason, if the money was returned while the call was running and could not be frozen again: the call must end.
 */
export type Hold = {
  requestId: string;
  accountId: AccountId;
  keyId: KeyId;
  period: string;
  amount: Nanos;
  /** Set if the hold is a part of an escrow. */
  drawn: Drawn | null;
  lost: Cancellation;
};

const HOLD_TIMEOUT_MS = 10_000;

/**
 * A grant after the timeout is unused. It is returned at once, because it could otherwise cause refusals until its
 * lease ends.
 */
async function returnLate(
  books: BillingContext,
  request: HoldRequest,
  late: Granted | Shortfall,
): Promise<void> {
  if (typeof late !== "object") {
    return;
  }
  const { requestId, accountId, period, escrow } = request;
  // A call that an outage allowance pays for has its own end.
  const wasLost = books.outage.pays(requestId);
  await (late.isEscrow && escrow
    ? books.escrow.returnUnused({ id: escrow.id, accountId, period })
    : books.settle({ requestId, accountId, period, charge: null, note: "late hold", wasLost }));
}

/**
 * Freezes the request in the database. If that fails, or the database is found to be away, it sells the call out of the
 * outage allowance: what the database may have frozen nevertheless stays so until it is returned. Throws unavailable.
 */
async function freezeInTime(books: BillingContext, request: HoldRequest): Promise<Granted | Shortfall> {
  const { outage, log } = books;
  const frozen = books.freeze(request);
  const inTime = withinMs(frozen, HOLD_TIMEOUT_MS);
  let cause: unknown = new Error("the database is away or silent");
  try {
    const answer = await (outage.canPay(request) ? outage.unlessAway(inTime) : inTime);
    if (answer !== null) {
      return answer;
    }
    frozen
      .then((late) => returnLate(books, request, late))
      .catch((error: unknown) =>
        log.warn({ err: error, requestId: request.requestId }, "a late hold is left to the sweeper"),
      );
  } catch (error) {
    if (!isTransient(error)) {
      throw error;
    }
    cause = error;
  }
  const amount = outage.take(request);
  if (amount === null) {
    throw new GatewayError("unavailable", "", { cause });
  }
  return { amount, isEscrow: false };
}

type Frozen = { amount: Nanos; drawn: Drawn | null };

/** Freezes a hold for the call, or an escrow if its payer is busy. */
async function freezeOrSell(books: BillingContext, request: HoldRequest): Promise<Frozen | Shortfall> {
  const { escrow } = books;
  const wish = escrow.wish(request);
  const sentAt = escrow.now();
  let answer: Granted | Shortfall = "account";
  try {
    answer = await freezeInTime(books, wish ? { ...request, escrow: wish } : request);
  } finally {
    if (wish && !(typeof answer === "object" && answer.isEscrow)) {
      escrow.decline(request);
    }
  }
  if (typeof answer === "string") {
    return answer;
  }
  return wish && answer.isEscrow
    ? { amount: request.amount, drawn: escrow.open(request, { id: wish.id, amount: answer.amount, sentAt }) }
    : { amount: answer.amount, drawn: null };
}

function tryToHold(books: BillingContext, request: HoldRequest): Eventual<Hold | Shortfall> {
  const { requestId, accountId, keyId, period } = request;
  const draw = books.escrow.take(request);
  books.outage.note(accountId);
  const sold = draw || !books.outage.mayServe() ? null : books.outage.take(request);
  const amount = draw ? request.amount : sold;
  const answer = amount === null ? freezeOrSell(books, request) : { amount, drawn: draw };
  return whenHere(answer, (frozen) => {
    if (typeof frozen === "string") {
      return frozen;
    }
    const { amount, drawn } = frozen;
    const lost = books.leases.begin({ ...request, amount, minimum: amount });
    return { requestId, accountId, keyId, period, amount, drawn, lost };
  });
}

const isOfSame = (left: Payer, right: Payer) =>
  left.keyCap === right.keyCap && left.accountCap === right.accountCap && left.period === right.period;

type HoldCall = { buyer: Buyer; period: string } & Omit<HoldRequest, keyof Payer>;

/** Reads a cap's figures again before it refuses a call. Throws quotaExhausted and unavailable. */
async function holdOrRefuse(
  books: BillingContext,
  { buyer, period, ...call }: HoldCall,
  { payer, shortfall }: { payer: Payer; shortfall: Shortfall },
): Promise<Hold> {
  const fresh = buyer.windows ? await books.caps.again(buyer, period) : payer;
  if (isOfSame(fresh, payer)) {
    throw quotaExhausted(shortfall, payer);
  }
  const answer = await tryToHold(books, { ...call, ...fresh, buyer });
  if (typeof answer === "string") {
    throw quotaExhausted(answer, fresh);
  }
  return answer;
}

/** Freezes a call's money: at once if an escrow pays for it. Throws quotaExhausted and unavailable. */
export function takeHold(books: BillingContext, want: HoldCall): Eventual<Hold> {
  const { buyer, period, ...call } = want;
  return whenHere(books.caps.payerOf(buyer, period), (payer) =>
    whenHere(tryToHold(books, { ...call, ...payer, buyer }), (answer) =>
      typeof answer === "string" ? holdOrRefuse(books, want, { payer, shortfall: answer }) : answer,
    ),
  );
}
