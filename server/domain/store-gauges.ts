import type { Registry } from "prom-client";
import { gauge } from "@/server/base/gauges";
import { Counter } from "@/server/base/tallies";

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
      help: "Number of holds. call: for a call or task; escrow: reserved in bulk for a busy account or key.",
      labelNames: ["kind"] as const,
    }),
    heldMoney: gauge({
      ...options,
      name: "tollgate_frozen_money",
      help: "Amount on hold, in currency units.",
      labelNames: ["kind"] as const,
    }),
    escrowCharged: gauge({
      ...options,
      name: "tollgate_escrow_charged_money",
      help: "Amount charged from escrows that is not yet in the monthly totals, in currency units.",
    }),
    holdsExpired: gauge({
      ...options,
      name: "tollgate_holds_expired",
      help: "Holds whose lease expired more than one lease ago and that no sweeper has released.",
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
      help: "1: the default partition has rows because the partition of their month could not be created.",
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
      help: "How late the most overdue poll of a video task is; 0: none is late.",
    }),
    backgroundResponses: gauge({
      ...options,
      name: "tollgate_background_responses",
      help: "Background responses, waiting or running.",
      labelNames: ["state"] as const,
    }),
    backgroundWait: gauge({
      ...options,
      name: "tollgate_background_wait_seconds",
      help: "Waiting time of the oldest waiting background response; 0: none is waiting.",
    }),
    notificationsWaiting: gauge({
      ...options,
      name: "tollgate_notifications_waiting",
      help: "Events not yet sent to a webhook (webhook) or by email (mail).",
      labelNames: ["kind"] as const,
    }),
    notificationsLate: gauge({
      ...options,
      name: "tollgate_notifications_late_seconds",
      help: "How late the oldest of these events is; 0: none is late.",
      labelNames: ["kind"] as const,
    }),
    loopSucceededAt: gauge({
      registers,
      name: "tollgate_loop_last_success_timestamp_seconds",
      help: "Time at which a worker loop last finished; across processes, the oldest.",
      labelNames: ["loop"] as const,
      aggregator: "min",
    }),
    loopFailures: new Counter({
      name: "tollgate_loop_failures_total",
      help: "Failed passes of a worker loop.",
      labelNames: ["loop"] as const,
      registers,
    }),
    sweptHolds: new Counter({
      name: "tollgate_swept_holds_total",
      help: "Released holds of dead calls and escrows of dead processes.",
      registers,
    }),
  };
}
