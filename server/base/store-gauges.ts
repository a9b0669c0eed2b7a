import { Counter, type Registry } from "prom-client";
import { gauge } from "./gauges";

/**
 * Metrics that the worker measures in the database, every 15 seconds and not at a scrape, and the state of its loops.
 * Every replica reports the same database values: dashboards must take one of them (`max`), never their sum.
 */
export function createStoreMetrics(registry: Registry) {
  const registers = [registry];
  const options = { registers, aggregator: "max" as const };
  return {
    holds: gauge({
      ...options,
      name: "tollgate_holds",
      help: "Money that is frozen now, as rows: call: one call's or task's; escrow: set aside for a busy payer.",
      labelNames: ["kind"] as const,
    }),
    heldMoney: gauge({
      ...options,
      name: "tollgate_frozen_money",
      help: "The same in currency units.",
      labelNames: ["kind"] as const,
    }),
    escrowCharged: gauge({
      ...options,
      name: "tollgate_escrow_charged_money",
      help: "Charged out of escrows, in currency units, which their months have not been told yet.",
    }),
    holdsExpired: gauge({
      ...options,
      name: "tollgate_holds_expired",
      help: "Holds whose lease ended more than a lease ago, and that no sweeper has returned.",
    }),
    monthsAhead: gauge({
      ...options,
      name: "tollgate_ledger_months_ahead",
      help: "Months after this one for which the ledger has a partition.",
      aggregator: "min",
    }),
    entriesWithoutMonth: gauge({
      ...options,
      name: "tollgate_rows_without_month",
      help: "1: there are rows in the table's rest, because nobody could make their month's partition.",
      labelNames: ["table"] as const,
    }),
    videoTasks: gauge({
      ...options,
      name: "tollgate_video_tasks",
      help: "Video tasks that have not ended.",
      labelNames: ["state"] as const,
    }),
    videoPollLag: gauge({
      ...options,
      name: "tollgate_video_poll_lag_seconds",
      help: "By how much the look at a video that is longest overdue is late; 0: none is.",
    }),
    backgroundResponses: gauge({
      ...options,
      name: "tollgate_background_responses",
      help: "Responses in the background, waiting or running.",
      labelNames: ["state"] as const,
    }),
    backgroundWait: gauge({
      ...options,
      name: "tollgate_background_wait_seconds",
      help: "How long the oldest response that waits has waited; 0: none does.",
    }),
    notificationsWaiting: gauge({
      ...options,
      name: "tollgate_notifications_waiting",
      help: "Events that nobody has tried yet to tell a webhook (webhook) or a person (mail).",
      labelNames: ["kind"] as const,
    }),
    notificationsLate: gauge({
      ...options,
      name: "tollgate_notifications_late_seconds",
      help: "By how much the oldest of them is late; 0: none is.",
      labelNames: ["kind"] as const,
    }),
    loopSucceededAt: gauge({
      registers,
      name: "tollgate_loop_last_success_timestamp_seconds",
      help: "When a loop of the worker last came to its end; of several processes the one that is furthest behind.",
      labelNames: ["loop"] as const,
      aggregator: "min",
    }),
    loopFailures: new Counter({
      name: "tollgate_loop_failures_total",
      help: "Passes of a loop that failed.",
      labelNames: ["loop"] as const,
      registers,
    }),
    sweptHolds: new Counter({
      name: "tollgate_swept_holds_total",
      help: "Holds of dead calls and dead processes' escrows whose money was returned.",
      registers,
    }),
  };
}
