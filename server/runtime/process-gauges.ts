/** Metrics that each process adds at a scrape; none of them waits longer than COLLECT_MS. */

import type { Gauge } from "prom-client";
import packageJson from "@/package.json";
import { withinMs } from "@/server/base/deadline";
import { gauge, onceForAll } from "@/server/base/gauges";
import type { Absence, Changes, Database } from "@/server/db";
import { COLLECT_MS, type Metrics } from "@/server/domain/metrics";
import type { HealthWatch } from "./health";
import type { StandbyWatch } from "./standby-watch";

type Watched = {
  metrics: Metrics;
  db: Pick<Database, "pools">;
  /** null: the process was started without the database. */
  changes: Pick<Changes, "lagMs"> | null;
  health: Pick<HealthWatch, "check">;
  /** null: not watched. */
  standbys: Pick<StandbyWatch, "standbys"> | null;
  /** null: nothing is served without the database. */
  absence: Pick<Absence, "isAway"> | null;
  /** As for `watchHealth`. */
  snapshotAt: number | null;
  /** The age of the file for the next start without the database, as `findKeptAge`. null: none is kept. */
  keptAge: (() => Promise<number | null>) | null;
};

/** A check that is late is reported at the next scrape. */
function addChecks({ metrics: { registry }, health }: Pick<Watched, "metrics" | "health">): void {
  const failed = gauge({
    name: "tollgate_check_failed",
    help: "1: a check of /readyz fails in any process.",
    labelNames: ["check"] as const,
    registers: [registry],
    aggregator: "max",
    collect: async () => {
      const update = health.check().then(({ findings }) => {
        for (const { name, trouble } of findings) {
          failed.set({ check: name }, trouble === null ? 0 : 1);
        }
      });
      await withinMs(update, COLLECT_MS);
    },
  });
}

/** Without a value while the database does not answer. */
function addStandbys({ metrics: { registry }, standbys }: Pick<Watched, "metrics" | "standbys">): void {
  const state = gauge({
    name: "tollgate_database_standby",
    help: "1 for the state of the database's standbys: none, synchronous or asynchronous.",
    labelNames: ["state"] as const,
    registers: [registry],
    aggregator: "max",
    collect: () => {
      state.reset();
      const present = standbys?.standbys() ?? null;
      if (present !== null) {
        state.set({ state: present.state }, 1);
      }
    },
  });
}

function addAbsence({ metrics: { registry }, absence }: Pick<Watched, "metrics" | "absence">): void {
  const away: Gauge = gauge({
    name: "tollgate_database_away",
    help: "1: the database is away, and calls are served without it as far as allowances go, in any process.",
    registers: [registry],
    aggregator: "max",
    collect: (): void => away.set(absence?.isAway() ? 1 : 0),
  });
}

function addSnapshot({ metrics: { registry }, snapshotAt }: Pick<Watched, "metrics" | "snapshotAt">): void {
  const age: Gauge = gauge({
    name: "tollgate_snapshot_age_seconds",
    help: "Age of the snapshot that calls are served from, because the database was away at the start; 0: none is.",
    registers: [registry],
    aggregator: "max",
    collect: (): void => age.set(snapshotAt === null ? 0 : (Date.now() - snapshotAt) / 1000),
  });
}

/** Each process looks at the same directory. */
function addKeptSnapshot({ metrics: { registry }, keptAge }: Pick<Watched, "metrics" | "keptAge">): void {
  const options = { registers: [registry], aggregator: "max" as const };
  const look = async () => (keptAge === null ? null : { ageMs: await keptAge() });
  const collect = onceForAll(
    async () => {
      const found = await withinMs(look(), COLLECT_MS);
      file.reset();
      if (found !== null) {
        file.set({ state: found.ageMs === null ? "missing" : "usable" }, 1);
      }
      age.set((found?.ageMs ?? 0) / 1000);
    },
    () => {},
  );
  const file = gauge({
    ...options,
    name: "tollgate_snapshot_file",
    help: "1 for the state of the file for a start without the database: usable or missing.",
    labelNames: ["state"] as const,
    collect,
  });
  const age = gauge({
    ...options,
    name: "tollgate_snapshot_file_age_seconds",
    help: "Age of that file; 0: there is none.",
    collect,
  });
}

function addPools({ metrics: { registry }, db }: Pick<Watched, "metrics" | "db">): void {
  const options = { labelNames: ["pool"] as const, registers: [registry] };
  const collect = onceForAll(
    async () => {
      for (const { name: pool, open: isOpen, limit, waitMs } of db.pools()) {
        open.set({ pool }, isOpen);
        maximum.set({ pool }, limit);
        if (waitMs !== null) {
          wait.set({ pool }, waitMs / 1000);
        }
      }
    },
    () => {},
  );
  const open = gauge({
    ...options,
    name: "tollgate_database_connections",
    help: "Open database connections of all processes.",
    collect,
  });
  const maximum = gauge({
    ...options,
    name: "tollgate_database_connections_most",
    help: "Maximum database connections.",
    collect,
  });
  const wait = gauge({
    ...options,
    name: "tollgate_database_wait_seconds",
    help: "Round-trip time of a trivial statement, including the wait for a connection; the slowest process.",
    aggregator: "max",
    collect,
  });
}

/** Adds these gauges to the process's metrics. */
export function addProcessGauges(watched: Watched): void {
  const { registry } = watched.metrics;
  gauge({
    name: "tollgate_build_info",
    help: "1, with the versions of this server and of Node.js.",
    labelNames: ["version", "node"] as const,
    registers: [registry],
    aggregator: "first",
  }).set({ version: packageJson.version, node: process.version }, 1);
  const lag: Gauge = gauge({
    name: "tollgate_notify_lag_seconds",
    help: "Delay until a process learns of a change; the slowest process.",
    registers: [registry],
    aggregator: "max",
    collect: (): void => lag.set((watched.changes?.lagMs() ?? 0) / 1000),
  });
  addPools(watched);
  addStandbys(watched);
  addAbsence(watched);
  addSnapshot(watched);
  addKeptSnapshot(watched);
  addChecks(watched);
}
