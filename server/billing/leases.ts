import { withinMs } from "@/server/base/deadline";
import { type Log, OF_MONEY } from "@/server/base/log";
import type { Escrow } from "./escrow";
import type { Granted } from "./freeze";
import { type HoldRequest, quotaExhausted, type Renewal, type Shortfall } from "./holds";
import type { HoldKey } from "./statements";

/** A call of this process whose money is frozen. */
type Lease = {
  /** What takes its money again: exactly what was granted, or nothing. */
  request: HoldRequest;
  loss: AbortController;
  regaining: Promise<void> | null;
  isEnding: boolean;
  /** It was returned while the call lived, and perhaps taken again. */
  wasLost: boolean;
};

/**
 * A settlement waits so long for money that is being taken again. A database that is silent lets nobody wait for ever.
 */
const TAKING_MS = 1_000;

/** The money of this process's calls: its leases are renewed, and what was lost all the same is taken again. */
export type Leases = {
  /** From here on the hold is renewed. The signal: it was lost, and could not be taken again. */
  begin: (request: HoldRequest) => AbortSignal;
  /**
   * The call is about to settle: its money is not taken again. To be waited for where it is just being taken, which is
   * not for long: what is taken after that is returned when its lease ends.
   */
  ending: (requestId: string) => Promise<unknown> | null;
  /** Whether its money was returned while it lived, and perhaps taken again. */
  wasLost: (requestId: string) => boolean;
  /** Whether the call is this process's, and has not settled. */
  has: (requestId: string) => boolean;
  /** It has settled, or never will. */
  end: (requestId: string) => void;
  count: () => number;
  /** One pass: renews all of them. Throws when some could not be, after it has seen to the others. */
  renew: () => Promise<void>;
};

/**
 * A process that stood still for longer than a lease (a frozen machine, a long collection of garbage) was taken for
 * dead, and its calls' money returned. A call that lives on freezes it again, in its own month and under its key's
 * cap; one that is refused is told.
 */
export function createLeases(deps: {
  /** Renews these rows of `holds`. */
  renew: (holds: HoldKey[]) => Promise<Renewal>;
  freeze: (request: HoldRequest) => Promise<Granted | Shortfall>;
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
      log.error({ requestId, shortage: answer }, "a call's money was returned while it lived, and is spent");
      loss.abort(quotaExhausted(answer));
    } catch (error) {
      // The next renewal finds it frozen, or tries again.
      log.warn(
        { err: error, requestId },
        "a call's money was returned while it lived, and is not frozen again yet",
      );
    }
  }

  return {
    begin: (request) => {
      const loss = new AbortController();
      leases.set(request.requestId, { request, loss, regaining: null, isEnding: false, wasLost: false });
      return loss.signal;
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
    has: (requestId) => leases.has(requestId),
    end: (requestId) => void leases.delete(requestId),
    count: () => leases.size,
    renew: async () => {
      const rows = new Map(
        [...leases.keys()].map((requestId) => [requestId, escrow.drawnBy(requestId)?.escrowId ?? requestId]),
      );
      const own = [...leases.values()].flatMap(({ request }) =>
        rows.get(request.requestId) === request.requestId ? [request] : [],
      );
      const holds = [...own, ...escrow.rows()];
      if (holds.length === 0) {
        return;
      }
      const sentAt = escrow.now();
      const renewal = await deps.renew(holds);
      const lost = new Set(renewal.lost);
      escrow.renewed(renewal.renewed, sentAt);
      lost.forEach(escrow.lost);
      for (const [requestId, row] of rows) {
        const lease = lost.has(row) ? leases.get(requestId) : undefined;
        if (lease && !lease.isEnding && !lease.loss.signal.aborted) {
          lease.wasLost = true;
          lease.regaining ??= regain(lease).finally(() => {
            lease.regaining = null;
          });
        }
      }
      if (renewal.failure) {
        throw renewal.failure.error;
      }
    },
  };
}
