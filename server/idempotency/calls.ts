import { type Cancellation, pause } from "@/server/base/cancellation";
import { systemTimers } from "@/server/base/clock";
import { lookUp } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Log } from "@/server/base/log";
import { type Database, tables } from "@/server/db";
import { sweepExpired } from "@/server/db/lease";
import { hashOf, type IdempotentCall, type KeptAnswer, openAnswer } from "./answer";
import { type Claim, createClaims } from "./claims";
import { inProgress } from "./in-progress";
import { type CallRow, findRow, insertClaim } from "./rows";

export type IdempotentCalls = {
  /**
   * Returns the right to run the call, or the answer of its first run; waits while that runs. Throws
   * idempotencyMismatch for the key of another call, idempotencyInProgress after a long wait, idempotencyNotKept if the
   * answer was not kept, and the reason or clientGone if one of the cancellations ends the wait.
   */
  claim: (
    call: IdempotentCall,
    cancellations: readonly Cancellation[],
  ) => Promise<{ claim: Claim } | { kept: KeptAnswer }>;
  /** Deletes expired rows; returns how many, and there may be more. */
  sweep: () => Promise<number>;
  /** Calls that have not ended are left to their leases. */
  close: () => void;
};

type IdempotencyDeps = {
  db: Database;
  log: Log;
  /** The installation's secret, and the former one. */
  secrets: string[];
  /** How long a silent process is considered alive. */
  leaseSeconds?: number;
  /** How long a repeat waits for the first call. */
  waitMs?: number;
};

/** As long as the money of a silent process's call is held. */
const LEASE_SECONDS = 20;
const WAIT_MS = 120_000;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 1_000];

async function wait(ms: number, cancellations: readonly Cancellation[]): Promise<void> {
  await pause(systemTimers, ms, cancellations);
  const ended = cancellations.find(({ isCancelled }) => isCancelled);
  if (ended) {
    throw ended.reason instanceof GatewayError ? ended.reason : new GatewayError("clientGone");
  }
}

export function createIdempotentCalls(deps: IdempotencyDeps): IdempotentCalls {
  const { db, log, secrets, leaseSeconds = LEASE_SECONDS, waitMs = WAIT_MS } = deps;
  const claims = createClaims({ db, log, secret: secrets[0] ?? "", leaseSeconds });

  async function read(call: IdempotentCall, row: CallRow): Promise<KeptAnswer> {
    const kept = row.answer && (await openAnswer(call, row.answer, secrets));
    if (kept === null) {
      throw new GatewayError("idempotencyNotKept");
    }
    return kept;
  }

  return {
    claim: async (call, cancellations) => {
      const { accountId, requestId, fingerprint } = call;
      const key = { accountId, requestId, hash: hashOf(call) };
      const deadline = performance.now() + waitMs;
      let mayBeFirst = true;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        if (mayBeFirst && (await lookUp(insertClaim(db, { ...key, fingerprint }, leaseSeconds)))) {
          return { claim: claims.begin(call, key) };
        }
        const row = await lookUp(findRow(db, key));
        if (row && row.fingerprint !== fingerprint) {
          throw new GatewayError("idempotencyMismatch");
        }
        if (row && !row.isRunning) {
          return { kept: await read(call, row) };
        }
        if (performance.now() >= deadline) {
          throw inProgress();
        }
        await wait(pauseMs, cancellations);
        // This only reads; an insert would lock the row of the running call.
        mayBeFirst = row === null || row.isLapsed;
      }
    },
    sweep: () => sweepExpired(db, tables.idempotentCalls),
    close: claims.close,
  };
}
