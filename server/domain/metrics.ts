import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { Counter, Histogram } from "@/server/base/tallies";
import { createCallMetrics } from "./call-metrics";
import { addChannelGauges, type ChannelLook } from "./channel-gauges";
import { createStoreMetrics } from "./store-gauges";

/** Time limit of a scrape for values from other sources. */
export const COLLECT_MS = 1_000;

/**
 * Repairs by billing, and failures to repair. Each series starts at 0: a series that first appears with a value shows
 * no increase.
 */
const INCIDENTS = ["late", "kept", "lost", "refused", "hold_regained", "hold_refused", "above_hold"] as const;

/** How streams end. */
const STREAM_ENDS = ["complete", "broken", "client_gone"] as const;

/** Starts a counter at 0 for each of these label values. */
function fromZero<Label extends string>(counter: Counter<Label>, label: Label, values: readonly string[]) {
  for (const value of values) {
    counter.inc({ [label]: value } as Partial<Record<Label, string>>, 0);
  }
  return counter;
}

/** Metrics of money. */
function createMoneyMetrics(registry: Registry) {
  return {
    billingIncidents: fromZero(
      new Counter({
        name: "tollgate_billing_incidents_total",
        help: "Charges and holds that had to be corrected, or could not be. above_hold: charged more than the hold.",
        labelNames: ["kind"] as const,
        registers: [registry],
      }),
      "kind",
      INCIDENTS,
    ),
    chargesWaiting: new Gauge({
      name: "tollgate_charges_waiting",
      help: "Delivered calls that are not charged yet because the database is unavailable.",
      registers: [registry],
    }),
    ledgerVerifiedAt: new Gauge({
      name: "tollgate_ledger_verified_timestamp_seconds",
      help: "Time of the last complete verification of open months by the replicas; 0: never.",
      registers: [registry],
    }),
    ledgerDrift: new Gauge({
      name: "tollgate_ledger_drift",
      help: "Figures that differed from the ledger's entries in that verification, or in the current one if there are more.",
      registers: [registry],
    }),
    ledgerVerifiedEntries: new Gauge({
      name: "tollgate_ledger_verified_entries",
      help: "Ledger entries read in that verification.",
      registers: [registry],
    }),
  };
}

/**
 * Labels have few values on purpose: names of models and channels that an operator has chosen, up to a limit; never
 * keys, accounts or requests. `channels` is called at each scrape and must answer within COLLECT_MS without failing.
 */
export function createMetrics(channels: () => Promise<ChannelLook[]> = async () => []) {
  const registry = new Registry();
  addChannelGauges(registry, channels);
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Counter({
      name: "tollgate_requests_total",
      help: "Requests answered.",
      labelNames: ["endpoint", "status"] as const,
      registers: [registry],
    }),
    latency: new Histogram({
      name: "tollgate_request_seconds",
      help: "Time until the response headers were ready.",
      labelNames: ["endpoint"] as const,
      buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 15, 60],
      registers: [registry],
    }),
    requestsOpen: new Gauge({
      name: "tollgate_requests_open",
      help: "Requests in progress, including streams.",
      labelNames: ["endpoint"] as const,
      registers: [registry],
    }),
    errors: new Counter({
      name: "tollgate_errors_total",
      help: "Calls that ended with an error, by error code, including streams that broke off after status 200.",
      labelNames: ["endpoint", "error"] as const,
      registers: [registry],
    }),
    attempts: new Counter({
      name: "tollgate_upstream_attempts_total",
      help: "Calls to upstream channels by outcome. channel: its ID.",
      labelNames: ["channel", "outcome"] as const,
      registers: [registry],
    }),
    videoEnds: new Counter({
      name: "tollgate_video_ends_total",
      help: "Ended video tasks by outcome.",
      labelNames: ["outcome"] as const,
      registers: [registry],
    }),
    callsUnrecorded: new Counter({
      name: "tollgate_calls_unrecorded_total",
      help: "Calls that were not stored in the request log because it was full or unavailable.",
      registers: [registry],
    }),
    redisFallbacks: new Counter({
      name: "tollgate_redis_fallbacks_total",
      help: "Rate limit checks counted by PostgreSQL because Redis was unavailable.",
      registers: [registry],
    }),
    streamEnds: fromZero(
      new Counter({
        name: "tollgate_stream_ends_total",
        help: "Ended streams by outcome.",
        labelNames: ["outcome"] as const,
        registers: [registry],
      }),
      "outcome",
      STREAM_ENDS,
    ),
    ...createMoneyMetrics(registry),
    ...createCallMetrics(registry),
    ...createStoreMetrics(registry),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
