import { type Cancellation, CancellationSource } from "@/server/base/cancellation";
import { withinMs } from "@/server/base/deadline";
import { type Log, OF_MONEY } from "@/server/base/log";
import type { Escrow } from "../escrow";
import type { Granted } from "./freeze";
import { type HoldRequest, quotaExhausted, type Renewal, type Shortfall } from "./holds";
import type { HoldKey } from "./statements";

/** A call of this process whose money is frozen. */
type Lease = {
  /** The request to freeze its money again: exactly the granted amount, or nothing. */
  request: HoldRequest;
  loss: CancellationSource;
  regaining: Promise<void> | null;
  isEnding: boolean;
  /** The money was returned while the call was running, and may have been frozen again. */
  wasLost: boolean;
};

/**
 * How long a settlement waits while its money is being frozen again. The wait is bounded because a database may be
 * silent.
 */
const TAKING_MS = 1_000;

/** The leases of this process's calls: renews them, and freezes lost money again. */
export type Leases = {
  /** Renews the hold from here on. It is cancelled if the money was lost and could not be frozen again. */
  begin: (request: HoldRequest) => Cancellation;
  /**
   * The call is about to settle, so its money is not frozen again. Returns a promise to await if that is just
   * happening, with a short limit: money frozen after the limit is returned when its lease ends.
   */
  ending: (requestId: string) => Promise<unknown> | null;
  /** Whether its money was returned while it was running, and may have been frozen again. */
  wasLost: (requestId: string) => boolean;
  /** The request of a call of this process that has not settled. */
  requestOf: (requestId: string) => HoldRequest | undefined;
  /** Removes a call that has settled, or never will. */
  end: (requestId: string) => void;
  count: () => number;
  /**
   * Renews all leases once, or joins the renewal that is running. If some fail, it handles the others and then throws.
   */
  renew: () => Promise<void>;
};

/**
 * A process that stood still for longer than a lease (a frozen machine, a long garbage collection) counted as dead, and
 * its calls' money was returned. A call that is still running freezes it again, in its own month and under its key's
 * cap. If that is refused, the call is cancelled.
 */
export function createLeases(deps: {
  /** Renews these rows of `holds`. */
  renew: (holds: HoldKey[]) => Promise<Renewal>;
  freeze: (request: HoldRequest) => Promise<Granted | Shortfall>;
  /** Whether the database has a row that pays for the call. */
  hasRow: (requestId: string) => boolean;
  escrow: Pick<Escrow, "drawnBy" | "rows" | "renewed" | "lost" | "now">;
  log: Log;
  observe: (kind: "hold_regained" | "hold_refused") => void;
}): Leases {
  const { log, observe, escrow } = deps;
  const leases = new Map<string, Lease>();

  async function regain({ request, loss }: Lease): Promise<void> {
    const { requestId } = request;
    try {
      const answer = await deps.freeze(request);
      if (typeof answer === "object") {
        observe("hold_regained");
        log.warn(
          { ...OF_MONEY, requestId },
          "a call's money was returned while it lived, and is frozen again",
        );
        return;
      }
      observe("hold_refused");
      log.error({ requestId, shortfall: answer }, "a call's money was returned while it lived, and is spent");
      loss.cancel(quotaExhausted(answer));
    } catch (error) {
      // The next renewal finds it frozen, or tries again.
      log.warn(
        { err: error, requestId },
        "a call's money was returned while it lived, and is not frozen again yet",
      );
    }
  }

  async function renewOnce(): Promise<void> {
    const rows = new Map(
      [...leases.keys()]
        .filter(deps.hasRow)
        .map((requestId) => [requestId, escrow.drawnBy(requestId)?.escrowId ?? requestId]),
    );
    const own = [...leases.values()].flatMap(({ request }) =>
      rows.get(request.requestId) === request.requestId ? [request] : [],
    );
    const holds = [...own, ...escrow.rows()];
    if (holds.length === 0) {
      return;
    }
    const sentAt = escrow.now();
    // The answer may be from before their money is frozen again. Frozen a second time, a call would be refused its own
    // money.
    const beingRegained = new Set([...leases.values()].filter(({ regaining }) => regaining !== null));
    const renewal = await deps.renew(holds);
    const lost = new Set(renewal.lost);
    escrow.renewed(renewal.renewed, sentAt);
    lost.forEach(escrow.lost);
    for (const [requestId, row] of rows) {
      const lease = lost.has(row) ? leases.get(requestId) : undefined;
      if (lease && !beingRegained.has(lease) && !lease.isEnding && !lease.loss.isCancelled) {
        lease.wasLost = true;
        lease.regaining ??= regain(lease).finally(() => {
          lease.regaining = null;
        });
      }
    }
    if (renewal.failure) {
      throw renewal.failure.error;
    }
  }

  // Two at a time could both find the same loss, the second after its money is frozen again.
  let running: Promise<void> | null = null;

  return {
    begin: (request) => {
      const loss = new CancellationSource();
      leases.set(request.requestId, { request, loss, regaining: null, isEnding: false, wasLost: false });
      return loss;
    },
    ending: (requestId) => {
      const lease = leases.get(requestId);
      if (!lease) {
        return null;
      }
      lease.isEnding = true;
      return lease.regaining && withinMs(lease.regaining, TAKING_MS);
    },
    wasLost: (requestId) => leases.get(requestId)?.wasLost ?? false,
    requestOf: (requestId) => leases.get(requestId)?.request,
    end: (requestId) => void leases.delete(requestId),
    count: () => leases.size,
    renew: () => {
      running ??= renewOnce().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
