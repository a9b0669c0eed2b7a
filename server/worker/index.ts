/** The background door: work that no request starts, in every replica, without a leader. */
import { forgetAnswers, type Gatekeeper } from "@/server/access";
import { sleep, type Timers } from "@/server/base/clock";
import type { Config } from "@/server/base/config";
import { unlessAborted } from "@/server/base/deadline";
import type { Log } from "@/server/base/log";
import { inDecimals } from "@/server/base/money";
import {
  type Billing,
  carryTopups,
  closeOldMonths,
  findVerified,
  makeLedgerMonths,
  sumNextDay,
  verifyOpenMonths,
} from "@/server/billing";
import type { Calls, ModelHours } from "@/server/calls";
import { writeAllBegun } from "@/server/catalog";
import type { Database } from "@/server/db";
import type { Metrics } from "@/server/domain/metrics";
import type { IdempotentCalls } from "@/server/idempotency";
import type { NotificationWork } from "@/server/notifications";
import type { ConversationStore, ResponseStore, ThinkingStore } from "@/server/responses";
import type { Videos } from "@/server/videos";
import { startLoop } from "./loop";
import { measureStore } from "./measuring";

export { startLoop } from "./loop";

const SWEEP_EVERY_MS = 5_000;
const VIDEOS_EVERY_MS = 1_000;
const BACKGROUND_EVERY_MS = 1_000;
const USES_EVERY_MS = 1_000;
const VERIFY_EVERY_MS = 10_000;
/** The most drifting figures in a log line. */
const LOGGED_DRIFTS = 20;
const MEASURE_EVERY_MS = 15_000;
const TIDY_EVERY_MS = 3_600_000;
const WEBHOOKS_EVERY_MS = 1_000;
const MAIL_EVERY_MS = 2_000;
const WATCH_EVERY_MS = 15_000;
/** A pass reads four weeks of sums. */
const ANOMALIES_EVERY_MS = 600_000;
const MODELS_EVERY_MS = 60_000;
const PRICES_EVERY_MS = 5_000;
const SWEEP_PAUSE_MS = 100;
const CARRY_EVERY_MS = 15_000;
/** A day is summed some hours after its end; until then pages read its hours. */
const DAYS_EVERY_MS = 600_000;
const CLOSE_EVERY_MS = 6 * TIDY_EVERY_MS;

type WorkerDeps = {
  access: Gatekeeper;
  billing: Billing;
  calls: Calls;
  modelHours: Pick<ModelHours, "tidy">;
  responses: ResponseStore;
  conversations: ConversationStore;
  thinking: ThinkingStore;
  idempotency: IdempotentCalls;
  /** From the gateway, which knows how to make a call. */
  backgroundRuns: { work: () => Promise<void> };
  videos: Videos;
  notifications: NotificationWork;
  db: Database;
  log: Log;
  metrics: Metrics;
  timers: Timers;
  /** Whether this machine's clock may decide what is old. */
  isClockRight: () => boolean;
  config: Pick<Config, "BILLING_TIMEZONE">;
};

/** Verifies a step of the ledger if it is this replica's turn; every replica reports how far all have come. */
async function verify({ db, billing, log, metrics }: WorkerDeps): Promise<void> {
  const slice = await verifyOpenMonths(db, billing.period());
  if (slice !== null && slice.drift.length > 0) {
    const drift = inDecimals(slice.drift.slice(0, LOGGED_DRIFTS));
    log.error({ drift, figures: slice.drift.length }, "the ledger has drifted");
  }
  const { at, drifts, entries } = await findVerified(db);
  metrics.ledgerVerifiedAt.set((at?.getTime() ?? 0) / 1000);
  metrics.ledgerDrift.set(drifts);
  metrics.ledgerVerifiedEntries.set(entries);
}

async function close({ db, billing, log }: WorkerDeps): Promise<void> {
  for (const { period, why } of await closeOldMonths(db, billing.period())) {
    log.warn({ period, why }, "a month of the ledger is not closed yet");
  }
}

/** Reports the result of each pass of a loop to the metrics. */
const tellOf =
  ({ loopSucceededAt, loopFailures }: Metrics) =>
  (loop: string, isOk: boolean) => {
    loopFailures.inc({ loop }, isOk ? 0 : 1);
    if (isOk) {
      loopSucceededAt.setToCurrentTime({ loop });
    }
  };

/** Background work of every process that admits calls. Returns a function that stops it. */
export const startOwnWork = ({
  access,
  log,
  metrics,
  timers,
}: Pick<WorkerDeps, "access" | "log" | "metrics" | "timers">): (() => Promise<void>) =>
  startLoop(
    log,
    { name: "uses of keys", everyMs: USES_EVERY_MS, pass: access.flushUses, onPass: tellOf(metrics) },
    timers,
  );

type Loop = Parameters<typeof startLoop>[1];

/** How a pass is run: `unlessStopped`: a stop does not wait for it; `inPieces`: again until nothing is left. */
type Passes = {
  start: (loop: Loop) => () => Promise<void>;
  unlessStopped: (work: () => Promise<void>) => () => Promise<void>;
  inPieces: (sweep: () => Promise<number>) => () => Promise<void>;
};

/** The loops that keep the ledger and its sums. */
const startLedgerWork = (deps: WorkerDeps, { start, unlessStopped, inPieces }: Passes) => [
  start({
    name: "carry-over",
    everyMs: CARRY_EVERY_MS,
    pass: async () => void (await carryTopups(deps.db, deps.billing.period())),
  }),
  start({
    name: "verifying the ledger",
    everyMs: VERIFY_EVERY_MS,
    pass: unlessStopped(() => verify(deps)),
  }),
  start({
    name: "months of the ledger",
    everyMs: TIDY_EVERY_MS,
    pass: () => makeLedgerMonths(deps.db, deps.billing.period()),
  }),
  start({
    name: "closing months",
    everyMs: CLOSE_EVERY_MS,
    pass: unlessStopped(() => close(deps)),
  }),
  start({
    name: "sums of days",
    everyMs: DAYS_EVERY_MS,
    pass: inPieces(() => sumNextDay(deps.db, deps.config.BILLING_TIMEZONE)),
  }),
];

/**
 * Starts all loops; returns a function that stops them, and waits for the passes under way. While this machine's clock is
 * wrong, only work by the database's clock is done: other passes would delete rows that are still needed, and end videos.
 */
export function startWorker(deps: WorkerDeps): () => Promise<void> {
  const stopping = new AbortController();
  // For work of minutes that a stop does not wait for: another replica or the next start does it, or continues after
  // the last step.
  const unlessStopped = (work: () => Promise<void>) => () => unlessAborted(work(), stopping.signal);
  /** In pieces, so that no statement holds a table for long. The clock may be set between two of them. */
  const inPieces = (sweep: () => Promise<number>) =>
    unlessStopped(async () => {
      while (deps.isClockRight() && (await sweep()) > 0) {
        await sleep(deps.timers, SWEEP_PAUSE_MS, stopping.signal);
        stopping.signal.throwIfAborted();
      }
    });
  const onPass = tellOf(deps.metrics);
  const start = (loop: Loop) =>
    startLoop(deps.log, { mayRun: deps.isClockRight, ...loop, onPass }, deps.timers);
  const stops = [
    start({
      name: "sweep",
      everyMs: SWEEP_EVERY_MS,
      mayRun: () => true,
      pass: async () => {
        const released = await deps.billing.sweep();
        if (released > 0) {
          deps.log.warn({ released }, "returned money that dead calls had frozen");
        }
      },
    }),
    start({ name: "videos", everyMs: VIDEOS_EVERY_MS, pass: deps.videos.work }),
    start({
      name: "responses in the background",
      everyMs: BACKGROUND_EVERY_MS,
      pass: deps.backgroundRuns.work,
    }),
    start({ name: "video keys", everyMs: TIDY_EVERY_MS, pass: deps.videos.tidy }),
    start({ name: "webhooks", everyMs: WEBHOOKS_EVERY_MS, pass: unlessStopped(deps.notifications.deliver) }),
    start({ name: "e-mail", everyMs: MAIL_EVERY_MS, pass: unlessStopped(deps.notifications.mail) }),
    start({ name: "thresholds", everyMs: WATCH_EVERY_MS, pass: deps.notifications.watch }),
    start({ name: "failing channels", everyMs: WATCH_EVERY_MS, pass: deps.notifications.watchChannels }),
    start({
      name: "spend anomalies",
      everyMs: ANOMALIES_EVERY_MS,
      pass: unlessStopped(deps.notifications.watchSpend),
    }),
    start({
      name: "models of vendors",
      everyMs: MODELS_EVERY_MS,
      pass: unlessStopped(deps.notifications.watchModels),
    }),
    start({ name: "old deliveries", everyMs: TIDY_EVERY_MS, pass: deps.notifications.tidy }),
    startOwnWork(deps),
    ...startLedgerWork(deps, { start, unlessStopped, inPieces }),
    start({ name: "prices", everyMs: PRICES_EVERY_MS, pass: () => writeAllBegun(deps.db) }),
    start({ name: "old sessions", everyMs: TIDY_EVERY_MS, pass: deps.access.tidySessions }),
    start({ name: "old answers", everyMs: TIDY_EVERY_MS, pass: () => forgetAnswers(deps.db) }),
    start({ name: "old responses", everyMs: TIDY_EVERY_MS, pass: inPieces(deps.responses.sweep) }),
    start({ name: "old conversations", everyMs: TIDY_EVERY_MS, pass: inPieces(deps.conversations.sweep) }),
    start({ name: "old thinking", everyMs: TIDY_EVERY_MS, pass: inPieces(deps.thinking.sweep) }),
    start({
      name: "old idempotent calls",
      everyMs: TIDY_EVERY_MS,
      pass: inPieces(deps.idempotency.sweep),
    }),
    start({ name: "months of calls", everyMs: TIDY_EVERY_MS, pass: deps.calls.keepMonths }),
    start({ name: "hours of models", everyMs: TIDY_EVERY_MS, pass: deps.modelHours.tidy }),
    start({ name: "measuring", everyMs: MEASURE_EVERY_MS, pass: () => measureStore(deps) }),
  ];
  return async () => {
    stopping.abort(new Error("the worker stops"));
    await Promise.all(stops.map((stop) => stop()));
  };
}
