import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** A look at a process's metrics waits no longer for what others have to say to it. */
export const COLLECT_MS = 1_000;

/**
 * Labels have few values on purpose: no keys, no accounts, no models. `channelStates`: asked at each look, to answer
 * within COLLECT_MS and not to fail.
 */
export function createMetrics(
  channelStates: () => Promise<{ channelId: string; state: string }[]> = async () => [],
) {
  const registry = new Registry();
  new Gauge({
    name: "tollgate_channel_state",
    help: "1 for the state that each channel is in, as this server has seen it.",
    labelNames: ["channel", "state"] as const,
    registers: [registry],
    // They tell each other what they see: a sum would say it once for each process.
    aggregator: "first",
    async collect() {
      const states = await channelStates();
      this.reset();
      for (const { channelId, state } of states) {
        this.set({ channel: channelId, state }, 1);
      }
    },
  });
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
      help: "Time until the response's head was ready.",
      labelNames: ["endpoint"] as const,
      buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 15, 60],
      registers: [registry],
    }),
    attempts: new Counter({
      name: "tollgate_upstream_attempts_total",
      help: "Calls to upstream channels by outcome.",
      labelNames: ["channel", "outcome"] as const,
      registers: [registry],
    }),
    videoEnds: new Counter({
      name: "tollgate_video_ends_total",
      help: "Video tasks by how they ended.",
      labelNames: ["outcome"] as const,
      registers: [registry],
    }),
    callsUnrecorded: new Counter({
      name: "tollgate_calls_unrecorded_total",
      help: "Calls that the request log had no room for, or could not store.",
      registers: [registry],
    }),
    billingIncidents: new Counter({
      name: "tollgate_billing_incidents_total",
      help: "Charges and holds that had to be made good, or could not be; above_hold: dearer than the limit allowed.",
      labelNames: ["kind"] as const,
      registers: [registry],
    }),
    chargesWaiting: new Gauge({
      name: "tollgate_charges_waiting",
      help: "Delivered calls that wait for the database to be charged.",
      registers: [registry],
    }),
    ledgerVerifiedAt: new Gauge({
      name: "tollgate_ledger_verified_timestamp_seconds",
      help: "When the replicas had last verified the months that still move; 0: never.",
      registers: [registry],
    }),
    ledgerDrift: new Gauge({
      name: "tollgate_ledger_drift",
      help: "Figures that differed from the ledger's entries then, or in the verification under way if those are more.",
      registers: [registry],
    }),
    ledgerVerifiedEntries: new Gauge({
      name: "tollgate_ledger_verified_entries",
      help: "Entries of the ledger that were read then.",
      registers: [registry],
    }),
    redisFallbacks: new Counter({
      name: "tollgate_redis_fallbacks_total",
      help: "Rate limits that PostgreSQL counted because Redis was away or silent.",
      registers: [registry],
    }),
    streamEnds: new Counter({
      name: "tollgate_stream_ends_total",
      help: "Streams by how they ended.",
      labelNames: ["outcome"] as const,
      registers: [registry],
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
