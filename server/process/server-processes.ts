import type { ListenOptions } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Counter, Gauge, Registry } from "prom-client";
import { type Config, gatewaysOf } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { asSettings, limitsOf } from "../runtime/limits";
import { type AllMetrics, createAllMetrics } from "./all-metrics";
import { answerWants } from "./answer-wants";
import { type CommonPools, createCommonPools } from "./common-pools";
import { createMeasuring } from "./measuring";
import type { ToChild, ToParent } from "./messages";
import type { RunDirectory } from "./run-directory";
import { createStandInKeeper } from "./stand-in-keeper";
import { stopMs } from "./stopping";
import { type Supervisor, supervise } from "./supervisor";

/** The processes of a server. */
export type ServerProcesses = {
  /** The gateways serve calls, and the console its pages. Throws in words if a process fails before. */
  ready: Promise<void>;
  /**
   * Starts a gateway that serves without the database until the others listen on the same port. Throws in its words if it
   * cannot.
   */
  standIn: (at: ListenOptions) => Promise<void>;
  /** Returns when all have finished their work. `isHurried`: no balancer has to notice the end first. */
  stop: (isHurried: boolean) => Promise<void>;
};

const CONSOLE = "console";

/** Added to the time that each process takes to stop. */
const KILL_AFTER_MS = 5_000;

/** Metrics of the parent itself. */
function ownMetrics(metrics: AllMetrics) {
  const registry = new Registry();
  new Gauge({
    name: "tollgate_process_resident_bytes",
    help: "Memory of each process of this server.",
    labelNames: ["process"] as const,
    registers: [registry],
    collect() {
      this.set({ process: "parent" }, process.memoryUsage.rss());
      for (const { process: name, bytes } of metrics.residentBytes()) {
        this.set({ process: name }, bytes);
      }
    },
  });
  const ends = new Counter({
    name: "tollgate_process_ends_total",
    help: "Processes of this server that exited unexpectedly and were replaced.",
    labelNames: ["process"] as const,
    registers: [registry],
  });
  return { registry, ends };
}

type Listener = {
  pools: CommonPools;
  hear: ReturnType<typeof createMeasuring>["hear"];
  tellMetrics: () => Promise<string>;
  log: Log;
};

/** Answers a process's message. Two processes with the same name never exist at once. */
function answer({ pools, hear, tellMetrics, log }: Listener, { name, send }: Supervisor, message: ToParent) {
  switch (message.kind) {
    case "shares":
      for (const [pool, want] of message.given) {
        pools.give(name, { pool, want });
      }
      answerWants(pools, { name, send }, message.wants);
      break;
    case "measured":
      hear(name, message);
      break;
    case "metrics":
      tellMetrics().then(
        (text) => send({ kind: "metrics", id: message.id, text }),
        (error: unknown) => log.warn({ err: error }, "metrics cannot be summed"),
      );
      break;
    default:
      break;
  }
}

/** `directory`: for the console's socket. */
type Grounds = {
  directory: RunDirectory;
  /** The database can be used. */
  opened: Promise<void>;
  /** The port of the gateways, when calls may come. */
  at: Promise<ListenOptions>;
};

/**
 * Starts the gateways at once, so that they load their code while the database starts. The console comes when they
 * begin to listen: its start takes as much processor time as both of theirs, and no call needs it.
 */
export function startProcesses(
  config: Config,
  { directory, opened, at }: Grounds,
  log: Log,
): ServerProcesses {
  const consoleSocket = join(directory.path, "console");
  const count = gatewaysOf(config);
  // Each process computes its part from the same numbers, whatever cores and memory it finds when it starts.
  const settled = JSON.stringify(asSettings(config, limitsOf(config)));
  const pools = createCommonPools(config);
  const metrics = createAllMetrics(CONSOLE);
  let console: Supervisor | null = null;
  const cover = createStandInKeeper();
  let hasConsole = false;
  let isStopping = false;
  const keepers = () => [console, cover.standIn(), ...gateways].filter((keeper) => keeper !== null);
  const own = ownMetrics(metrics);
  const usually = opened.then((): ToChild => ({ kind: "open" }));
  const { hear, measure } = createMeasuring(keepers, metrics);
  const tellMetrics = async () => {
    await measure();
    return `${await metrics.text()}\n${await own.registry.metrics()}`;
  };

  const keepOne = (
    name: string,
    program: "gateway" | "console",
    { mayListen, mayOpen }: { mayListen: () => Promise<ListenOptions>; mayOpen?: () => Promise<ToChild> },
  ) => {
    const keeper: Supervisor = supervise(
      {
        name,
        path: fileURLToPath(new URL(`./${program}.js`, import.meta.url)),
        args: [name, consoleSocket, settled],
        mayOpen: mayOpen ?? (() => usually),
        mayListen: async () => ({ kind: "listen", at: await mayListen(), hasConsole }),
        isCovered: () => cover.covers(name),
      },
      {
        log,
        onMessage: (message) => answer({ pools, hear, tellMetrics, log }, keeper, message),
        onEnd: (isStopping) => {
          pools.end(name);
          metrics.end(name);
          if (!isStopping) {
            own.ends.inc({ process: name });
          }
        },
      },
    );
    return keeper;
  };
  const gateways: Supervisor[] = Array.from({ length: count }, (_, index) =>
    keepOne(`gateway-${index + 1}`, "gateway", {
      mayListen: async () => {
        // No client is accepted before all gateways are prepared.
        const [place] = await Promise.all([at, ...gateways.map(({ prepared }) => prepared)]);
        return { ...place, reusePort: count > 1 || cover.standIn() !== null };
      },
    }),
  );

  async function startStandIn(place: ListenOptions): Promise<void> {
    const keeper = keepOne("stand-in", "gateway", {
      mayListen: async () => ({ ...place, reusePort: true }),
      mayOpen: async () => ({ kind: "open", isStandIn: true }),
    });
    void cover.replace(keeper, gateways);
    await keeper.listening;
  }

  async function startConsole(): Promise<void> {
    await Promise.all([at, ...gateways.map(({ prepared }) => prepared)]);
    if (isStopping) {
      return;
    }
    console = keepOne(CONSOLE, "console", { mayListen: async () => ({ path: consoleSocket }) });
    await Promise.all([console, ...gateways].map(({ listening }) => listening));
    hasConsole = true;
    for (const { send } of gateways) {
      send({ kind: "console" });
    }
  }

  const ready = startConsole();
  // The caller that waits for it gets the error.
  ready.catch(() => {});
  return {
    ready,
    standIn: startStandIn,
    stop: async (isHurried) => {
      isStopping = true;
      const patienceMs = stopMs(config) + KILL_AFTER_MS;
      await Promise.all(keepers().map((keeper) => keeper.stop({ patienceMs, isHurried })));
      directory.remove();
    },
  };
}
