import { type Nanos, nanos } from "@/server/base/money";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { HoldRequest } from "../holds/holds";
import type { HoldKey } from "../holds/statements";
import type { Fold, Recall } from "./folds";

/** One payer's money that this process has frozen durably, as a row of `holds`. */
export type Tranche = {
  readonly id: string;
  readonly payer: string;
  readonly accountId: AccountId;
  readonly keyId: KeyId;
  readonly period: string;
  readonly keyCap: Nanos | null;
  readonly accountCap: Nanos | null;
  amount: bigint;
  /** Calls under way, or about to be charged. A call may hold nothing of it. */
  calls: number;
  /** The parts of `amount`: held by calls under way, by calls that are being charged, and already charged. */
  inUse: bigint;
  ending: bigint;
  charged: bigint;
  /** After this time, on the clock `now`, another process may own the row. */
  usableUntil: number;
  usedAt: number;
  /** It pays for calls. A tranche that is not open shrinks, and is then removed. */
  isOpen: boolean;
  /**
   * The part of `ending` whose charges have an unknown result. null: none. The sweeper removes such a row at the end.
   */
  inDoubt: bigint | null;
  /** Its row was deleted. */
  isGone: boolean;
};

/** The identifier of a payer: account, month and key. */
export const payerKey = ({ accountId, period, keyId }: Pick<HoldRequest, "accountId" | "period" | "keyId">) =>
  `${accountId} ${period} ${keyId}`;

export const leftOf = ({ amount, inUse, ending, charged }: Tranche): bigint =>
  amount - inUse - ending - charged;

/** A payer without calls for this long needs no escrow. */
const IDLE_MS = 10_000;

/** An escrow granted by a statement that was sent at `sentAt`. */
export type GrantedEscrow = { id: string; amount: Nanos; sentAt: number };

/** The fold of a tranche that is not open: it keeps the amount that its calls hold. null: nothing to do now. */
function foldOf({ id, accountId, period, calls, ...tranche }: Tranche): Fold | null {
  if (calls === 0) {
    return { id, accountId, period, keep: null };
  }
  const keep = nanos(tranche.inUse + tranche.ending);
  const isFolded = tranche.amount === keep && tranche.charged === 0n;
  return isFolded ? null : { id, accountId, period, keep };
}

const isOfOtherCaps = ({ keyCap, accountCap }: Tranche, request: HoldRequest): boolean =>
  keyCap !== request.keyCap || accountCap !== (request.accountCap ?? null);

/** All money that this process has set aside. */
export type Tranches = ReturnType<typeof createTranches>;

const opened = (usableMs: number, request: HoldRequest, { id, amount, sentAt }: GrantedEscrow): Tranche => ({
  ...{
    id,
    payer: payerKey(request),
    accountId: request.accountId,
    keyId: request.keyId,
    period: request.period,
    keyCap: request.keyCap,
    accountCap: request.accountCap ?? null,
  },
  ...{ amount, calls: 0, inUse: 0n, ending: 0n, charged: 0n },
  ...{ usableUntil: sentAt + usableMs, usedAt: sentAt, isOpen: true, inDoubt: null, isGone: false },
});

const isRecalled = ({ accountId, keyId }: Tranche, recall: Recall | undefined): boolean =>
  recall === undefined ||
  (accountId === recall.accountId && (recall.keyId === undefined || keyId === recall.keyId));

/** `usableMs`: how long after its lease was requested a tranche may pay for calls; shorter than the lease. */
export function createTranches({ usableMs, now }: { usableMs: number; now: () => number }) {
  const all = new Map<string, Tranche>();
  const current = new Map<string, Tranche>();
  const tranchesOf = (recall?: Recall) => [...all.values()].filter((tranche) => isRecalled(tranche, recall));

  function close(tranche: Tranche): void {
    tranche.isOpen = false;
    if (current.get(tranche.payer) === tranche) {
      current.delete(tranche.payer);
    }
  }
  function drop(tranche: Tranche): void {
    close(tranche);
    tranche.isGone = true;
    all.delete(tranche.id);
  }
  /** Closes idle tranches, and leaves tranches with unknown results to the sweeper. */
  function tidy(tranche: Tranche): void {
    if (tranche.calls > 0) {
      return;
    }
    if (tranche.inDoubt !== null) {
      drop(tranche);
    } else if (now() - tranche.usedAt >= IDLE_MS) {
      close(tranche);
    }
  }

  return {
    /** The tranche that pays for the payer's calls. */
    usable: (request: HoldRequest): Tranche | null => {
      const tranche = current.get(payerKey(request));
      if (tranche && (tranche.usableUntil <= now() || isOfOtherCaps(tranche, request))) {
        close(tranche);
        return null;
      }
      return tranche ?? null;
    },
    /** Opens a tranche and closes the payer's previous one. */
    open: (request: HoldRequest, granted: GrantedEscrow) => {
      const tranche = opened(usableMs, request, granted);
      const earlier = current.get(tranche.payer);
      if (earlier) {
        close(earlier);
      }
      all.set(tranche.id, tranche);
      current.set(tranche.payer, tranche);
      return tranche;
    },
    close,
    /** The amount held by a payer's calls that are under way or being charged. */
    taken: (payer: string): bigint =>
      tranchesOf().reduce(
        (sum, tranche) => (tranche.payer === payer ? sum + tranche.inUse + tranche.ending : sum),
        0n,
      ),
    /** The amount held by an escrow's calls under way and by calls with an unknown result; null: it is not ours. */
    inUse: (id: string): Nanos | null => {
      const tranche = all.get(id);
      return tranche ? nanos(tranche.inUse + (tranche.inDoubt ?? 0n)) : null;
    },
    /** Rows whose leases need renewal. */
    rows: (): HoldKey[] =>
      [...all.values()].map(({ id, accountId, period }) => ({ requestId: id, accountId, period })),
    renewed: (ids: string[], sentAt: number) => {
      for (const id of ids) {
        const tranche = all.get(id);
        if (tranche) {
          tranche.usableUntil = sentAt + usableMs;
        }
      }
    },
    lost: (id: string) => {
      const tranche = all.get(id);
      if (tranche) {
        drop(tranche);
      }
    },
    /** Closes the recalled tranches, or all: they pay for no more calls. */
    retire: (recall?: Recall) => tranchesOf(recall).forEach(close),
    /** The folds that are due now. */
    folds: (recall?: Recall): Fold[] =>
      tranchesOf(recall).flatMap((tranche) => {
        tidy(tranche);
        return tranche.isOpen || tranche.isGone ? [] : (foldOf(tranche) ?? []);
      }),
    folded: ({ id, keep }: Fold) => {
      const tranche = all.get(id);
      if (tranche && keep === null) {
        drop(tranche);
      } else if (tranche && keep !== null) {
        tranche.amount = keep;
        tranche.charged = 0n;
      }
    },
  };
}
