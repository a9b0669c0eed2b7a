import { lookUp } from "@/server/base/deadline";
import type { Log } from "@/server/base/log";
import type { Database, Tx } from "@/server/db";
import { type IdempotentCall, type KeptAnswer, sealAnswer } from "./answer";
import { inProgress } from "./in-progress";
import { type ClaimKey, deleteClaim, endClaim, renewClaims } from "./rows";

/** The right to run a call, until it is kept or abandoned. Neither throws: what failed is tried again. */
export type Claim = {
  /** For repeats. null: it is too large, and they are told so. */
  keep: (answer: KeptAnswer | null) => Promise<void>;
  /**
   * The same in a transaction that what is bought is in, too: neither is there without the other. `keep` is still to be
   * called. Throws idempotencyInProgress where another runs the call by now.
   */
  keepIn: (tx: Tx, answer: KeptAnswer) => Promise<void>;
  /** It came to nothing: a repeat may run. */
  abandon: () => Promise<void>;
};

/** The calls that this process runs: their leases are renewed for as long as it lives. */
export type Claims = {
  begin: (call: IdempotentCall, key: ClaimKey) => Claim;
  /** What is not ended yet is left to its lease. */
  close: () => void;
};

/** Renewed so often in a lease. */
const RENEWALS = 4;

/** `ending`: what is still to be done to its row. */
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
      // A client waits for this, but not for a database that is silent.
      await lookUp(ending?.() ?? Promise.resolve());
      running.delete(key.requestId);
    } catch (error) {
      log.warn({ err: error, requestId: key.requestId }, "an idempotent call is not written down yet");
    }
  }

  async function renew(): Promise<void> {
    const calls = [...running.values()];
    // Those too whose answer is not written down yet: it was bought, and a repeat must not run.
    const keys = calls.map(({ key }) => key);
    try {
      await renewClaims(db, keys, leaseSeconds);
    } catch (error) {
      log.warn({ err: error }, "idempotent calls were not renewed");
    }
    await Promise.all(calls.filter(({ ending }) => ending !== null).map(finish));
  }

  /** While there is something to renew. */
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
