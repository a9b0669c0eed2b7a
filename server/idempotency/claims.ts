import { lookUp } from "@/server/base/deadline";
import type { Log } from "@/server/base/log";
import type { Database, Tx } from "@/server/db";
import { type IdempotentCall, type KeptAnswer, sealAnswer } from "./answer";
import { inProgress } from "./in-progress";
import { type ClaimKey, deleteClaim, endClaim, renewClaims } from "./rows";

/**
 * The right to run a call, until its answer is kept or the call is abandoned. Neither throws: a failed write is
 * repeated.
 */
export type Claim = {
  /** Keeps the answer for repeats. null: the answer is too large, and repeats are told so. */
  keep: (answer: KeptAnswer | null) => Promise<void>;
  /**
   * Keeps the answer in the transaction of the purchase, so that both are committed or neither. `keep` must still be
   * called. Throws idempotencyInProgress if another process runs the call by now.
   */
  keepIn: (tx: Tx, answer: KeptAnswer) => Promise<void>;
  /** The call had no effect: a repeat may run. */
  abandon: () => Promise<void>;
};

/** The calls that this process runs. It renews their leases while it lives. */
export type Claims = {
  begin: (call: IdempotentCall, key: ClaimKey) => Claim;
  /** Calls that have not ended are left to their leases. */
  close: () => void;
};

/** Renewals within a lease. */
const RENEWALS = 4;

/** `ending`: the write that is still due in its row. */
type Running = { key: ClaimKey; ending: (() => Promise<void>) | null };

export function createClaims({
  db,
  log,
  secret,
  leaseSeconds,
}: {
  db: Database;
  log: Log;
  secret: string;
  leaseSeconds: number;
}): Claims {
  const running = new Map<string, Running>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Ends the call's row, now or with one of the next renewals. */
  async function finish({ key, ending }: Running): Promise<void> {
    try {
      // A client waits for this, but not for a silent database.
      await lookUp(ending?.() ?? Promise.resolve());
      running.delete(key.requestId);
    } catch (error) {
      log.warn({ err: error, requestId: key.requestId }, "an idempotent call could not be stored yet");
    }
  }

  async function renew(): Promise<void> {
    const calls = [...running.values()];
    // Includes calls whose answer is not written yet: they are bought, and a repeat must not run.
    const keys = calls.map(({ key }) => key);
    try {
      await renewClaims(db, keys, leaseSeconds);
    } catch (error) {
      log.warn({ err: error }, "idempotent calls were not renewed");
    }
    await Promise.all(calls.filter(({ ending }) => ending !== null).map(finish));
  }

  /** Runs while there are leases to renew. */
  function watch(): void {
    const next = () =>
      void renew().finally(() => {
        timer = undefined;
        if (running.size > 0 && !isClosed) {
          watch();
        }
      });
    timer ??= setTimeout(next, (leaseSeconds * 1_000) / RENEWALS).unref();
  }

  return {
    begin: (call, key) => {
      const own: Running = { key, ending: null };
      running.set(key.requestId, own);
      watch();
      const end = async (ending: () => Promise<void>) => {
        own.ending = ending;
        await finish(own);
      };
      return {
        keep: (answer) =>
          end(async () => {
            const sealed = answer && (await sealAnswer(call, answer, secret));
            await endClaim(db, key, sealed);
          }),
        keepIn: async (tx, answer) => {
          if (!(await endClaim(tx, key, await sealAnswer(call, answer, secret)))) {
            throw inProgress();
          }
        },
        abandon: () => end(() => deleteClaim(db, key)),
      };
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
