/**
 * The outage allowance: the amount that a process may sell to an account while the database is away. The database gives
 * each process a part of it in advance, so that all of them together sell no more than the operator chose. Hides how
 * parts are shared, renewed and returned, and which calls they pay for.
 */
import { stopwatch } from "@/server/base/clock";
import type { Nanos } from "@/server/base/money";
import type { Absence, Database } from "@/server/db";
import { isDistributed } from "@/server/db/handles";
import type { HoldRequest } from "../holds/holds";
import type { PendingCharges } from "../holds/pending-charges";
import { grantParts, returnExpiredParts, returnParts } from "./grants";
import { findEndedHolders, forgetPartHolder, leaveParts, listCharges, notePartHolder } from "./part-files";
import { createParts, type Parts } from "./parts";
import { type ReservedAmount, sweepReserves } from "./reserve";

/** How a process serves while the database is away. */
export type OutageTerms = {
  absence: Pick<Absence, "isAway" | "mayServe" | "hereMs" | "unlessAway">;
  /** Of an account without its own allowance. */
  allowance: Nanos;
  /** How long a process may serve without the database, in milliseconds. */
  longestMs: number;
  /** The process was started without the database, and sells only from a claimed reserve. */
  reserve?: { holder: string; parts: ReservedAmount[] } | undefined;
};

/**
 * Added to the time for which the database keeps the part of a silent process. After an outage, all processes have as long
 * to take their charges off their parts.
 */
const MARGIN_SECONDS = 120;
/** How often an even part is renewed, in leases. */
const RENEWED_LEASES = 3;
const ASKED_AT_ONCE = 500;

type OutageDeps = {
  db: Database;
  leaseSeconds: number;
  arrears: PendingCharges;
  directory: string | null;
  /** null: the process sells nothing without the database. */
  terms: OutageTerms | null;
};

/**
 * null: this process sells nothing without the database. A process without files would lose its charges when it ends,
 * and a ledger on several machines gives no parts.
 */
function offerOf({ db, arrears: { writer }, directory, terms }: OutageDeps) {
  const processId = terms?.reserve?.holder ?? writer;
  return terms !== null && directory !== null && processId !== null && !isDistributed(db)
    ? { ...terms, directory, processId }
    : null;
}

/** Asks the database for the parts that are due, and gives up what is above a fair share. */
function renewing({ db }: OutageDeps, offer: NonNullable<ReturnType<typeof offerOf>>, parts: Parts) {
  const { processId, directory, allowance, longestMs } = offer;
  const keptSeconds = longestMs / 1000 + MARGIN_SECONDS;
  let isNoted = false;
  let turn = 0;
  return {
    renew: async (period: string): Promise<void> => {
      const idle = parts.giveUpIdle();
      if (idle.length > 0) {
        await returnParts(db, processId, { accountIds: idle, turn });
      }
      const due = parts.due();
      if (due.length > 0 && !isNoted) {
        await notePartHolder(directory, processId);
        isNoted = true;
      }
      for (let from = 0; from < due.length; from += ASKED_AT_ONCE) {
        const batch = due.slice(from, from + ASKED_AT_ONCE);
        const sentAt = stopwatch();
        turn += 1;
        const grants = await grantParts(db, batch, { processId, turn, period, allowance, keptSeconds });
        parts.granted(batch, grants, sentAt);
      }
    },
    /** Returns them. If the ledger still lacks some of their charges, another process does so later. */
    close: async (): Promise<void> => {
      if (isNoted && parts.areQuiet()) {
        await returnParts(db, processId);
        await forgetPartHolder(directory, processId);
      } else if (isNoted) {
        await leaveParts(directory, processId);
      }
    },
  };
}

/** Returns the parts of processes that have ended. Their charges must have been settled before. */
async function sweepParts({ db, leaseSeconds, directory, terms }: OutageDeps): Promise<void> {
  const isSteady = terms === null || terms.absence.hereMs() > MARGIN_SECONDS * 1000;
  if (isSteady) {
    await returnExpiredParts(db, leaseSeconds);
  }
  if (directory !== null) {
    const names = await listCharges(directory);
    for (const holder of await findEndedHolders(directory, names)) {
      await returnParts(db, holder);
      await forgetPartHolder(directory, holder);
    }
    await sweepReserves(db, { directory, names, isSteady });
  }
}

export function openOutage(deps: OutageDeps) {
  const { leaseSeconds, arrears, terms } = deps;
  const offer = offerOf(deps);
  const renewMs = RENEWED_LEASES * leaseSeconds * 1000;
  const parts = createParts({ usableMs: offer?.longestMs ?? 0, renewMs, now: stopwatch });
  const reserve = terms?.reserve ?? null;
  parts.restore(reserve?.parts ?? []);
  const own = offer && reserve === null ? renewing(deps, offer, parts) : null;
  /** The disk has refused a charge. */
  let isDiskFull = false;
  let running: Promise<void> | null = null;

  /** A cap is known only to the database, and a charge needs room until the database is back. */
  const mayPay = ({ keyCap, accountCap }: HoldRequest): boolean =>
    offer !== null &&
    !isDiskFull &&
    keyCap === null &&
    (accountCap ?? null) === null &&
    arrears.room() > parts.underWay();

  async function renew(period: string): Promise<void> {
    if (own === null || terms?.absence.isAway()) {
      return;
    }
    isDiskFull = false;
    running ??= own.renew(period).finally(() => {
      running = null;
    });
    await running;
  }

  const { pays, released, charged, settled, doubt } = parts;
  return {
    /** The process, by which charges name their part. */
    processId: offer?.processId,
    /** Whether the database is away. */
    isAway: () => terms?.absence.isAway() ?? false,
    /** As those of `Absence`; without terms the database is never away. */
    mayServe: () => terms?.absence.mayServe() ?? false,
    unlessAway: <T>(answer: Promise<T>): Promise<T | null> => terms?.absence.unlessAway(answer) ?? answer,
    note: own === null ? () => {} : parts.note,
    /** Whether parts pay for calls like this one, if they have the money. */
    mayPay,
    /** Whether a part can pay for the call. */
    canPay: (request: HoldRequest): boolean => mayPay(request) && parts.canPay(request),
    /**
     * Pays for a call that the database does not pay for, or whose charge it does not take, and returns the amount that
     * the call holds. null: it does not. The database may have done so unheard: then the part gives more than it had to.
     */
    take: (request: HoldRequest): Nanos | null => (mayPay(request) ? parts.take(request) : null),
    ...{ pays, released, charged, settled, doubt },
    /** The disk takes no charge: nothing more is sold until the database is back. */
    refuse: () => {
      isDiskFull = true;
    },
    /** Whether calls can be sold without the database. */
    hasMoney: () => !isDiskFull && parts.hasMoney(),
    renew,
    sweep: () => sweepParts(deps),
    close: async (): Promise<void> => {
      await running;
      await own?.close();
    },
  };
}
