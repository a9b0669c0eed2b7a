import type { AccountId, KeyId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import type { HoldRequest } from "../holds";
import type { HoldKey } from "../statements";
import type { Fold, Recall } from "./folds";

/** Money of one payer that this process has frozen durably, as a row of `holds`. */
export type Tranche = {
  readonly id: string;
  readonly payer: string;
  readonly accountId: AccountId;
  readonly keyId: KeyId;
  readonly period: string;
  readonly keyCap: Nanos | null;
  readonly accountCap: Nanos | null;
  amount: bigint;
  /** Calls under way, or about to be charged. What one has of it may be nothing. */
  calls: number;
  /** Of that: by calls under way, by calls that are being charged, and by calls that were. */
  inUse: bigint;
  ending: bigint;
  charged: bigint;
  /** Past it the row may be somebody else's: as `now` counts. */
  usableUntil: number;
  usedAt: number;
  /** Calls are paid out of it. One that is not open grows smaller, and goes. */
  isOpen: boolean;
  /** Of what is being charged: what may have been, or not. null: nothing. At the end such a row is left to the sweeper. */
  inDoubt: bigint | null;
  /** It has no row any more. */
  isGone: boolean;
};

/** Who pays, and where a key has a cap, the key. */
export const payerOf = ({ accountId, period, keyId }: Pick<HoldRequest, "accountId" | "period" | "keyId">) =>
  `${accountId} ${period} ${keyId}`;

export const leftOf = ({ amount, inUse, ending, charged }: Tranche): bigint =>
  amount - inUse - ending - charged;

/** A payer that is quiet for so long needs nothing set aside. */
const IDLE_MS = 10_000;

/** Granted by a statement that was sent at `sentAt`. */
export type GrantedEscrow = { id: string; amount: Nanos; sentAt: number };

/** What is to become of one that is not open: it keeps what calls have of it. null: nothing, for now. */
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

/** All that this process has set aside, and what becomes of it. */
export type Tranches = ReturnType<typeof createTranches>;

const opened = (usableMs: number, request: HoldRequest, { id, amount, sentAt }: GrantedEscrow): Tranche => ({
  ...{
    id,
    payer: payerOf(request),
    accountId: request.accountId,
    keyId: request.keyId,
    period: request.period,
    keyCap: request.keyCap,
    accountCap: request.accountCap ?? null,
  },
  ...{ amount, calls: 0, inUse: 0n, ending: 0n, charged: 0n },
  ...{ usableUntil: sentAt + usableMs, usedAt: sentAt, isOpen: true, inDoubt: null, isGone: false },
});

/** `usableMs`: how long after its lease was asked for one may be paid out of: shorter than the lease. */
export function createTranches({ usableMs, now }: { usableMs: number; now: () => number }) {
  const all = new Map<string, Tranche>();
  const current = new Map<string, Tranche>();
  const of = (recall?: Recall) =>
    [...all.values()].filter(
      ({ accountId, keyId }) =>
        recall === undefined ||
        (accountId === recall.accountId && (recall.keyId === undefined || keyId === recall.keyId)),
    );

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
  /** Retires what is quiet, and leaves to the sweeper what is in doubt. */
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
    /** The one that the payer's calls are paid out of. */
    usable: (request: HoldRequest): Tranche | null => {
      const tranche = current.get(payerOf(request));
      if (tranche && (tranche.usableUntil <= now() || isOfOtherCaps(tranche, request))) {
        close(tranche);
        return null;
      }
      return tranche ?? null;
    },
    /** In place of the one before. */
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
    /** What a payer's calls have that are under way, or wait for their charge. */
    taken: (payer: string): bigint =>
      of().reduce((sum, one) => (one.payer === payer ? sum + one.inUse + one.ending : sum), 0n),
    /** What calls under way have of one, and those that may have been charged; null: it is not ours. */
    inUse: (id: string): Nanos | null => {
      const tranche = all.get(id);
      return tranche ? nanos(tranche.inUse + (tranche.inDoubt ?? 0n)) : null;
    },
    /** Rows whose leases are to be renewed. */
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
    /** Pays no more calls out of what there is: of what is called back, or of all. */
    retire: (recall?: Recall) => of(recall).forEach(close),
    /** What there is to fold now. */
    folds: (recall?: Recall): Fold[] =>
      of(recall).flatMap((tranche) => {
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
