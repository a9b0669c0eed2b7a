/** The common part of a server's processes: of the gateways and the console. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { ListenOptions } from "node:net";
import { setFlagsFromString } from "node:v8";
import { sleep } from "@/server/base/clock";
import { type Config, ConfigError, lameDuckMs, loadConfig } from "@/server/base/config";
import type { Shares } from "@/server/domain/shares";
import type { OriginLimits } from "@/server/upstream";
import type { Settings } from "../runtime/limits";
import { createRuntime, type Runtime } from "../runtime/runtime";
import { databaseUrlOf, shareRuntime } from "../runtime/shared-runtime";
import { openStandIn } from "../runtime/stand-in";
import type { ToParent } from "./messages";
import { linkToParent, type ParentLink } from "./parent-link";
import { parentsShares } from "./parents-shares";
import { portInUse } from "./port";
import { closeServer, isAtOnce, SIGNALS, stopMs } from "./stopping";

/** The server of a process. */
type Service = {
  server: Server;
  /** Ends the rest of the process, after the server is closed and before the rooms are. */
  end: () => Promise<void>;
};

type ChildOptions = {
  /** The name of the process in the log and for the parent. */
  name: string;
  /** The socket on which the console listens. */
  consoleSocket: string;
  /** Settings that the parent has computed for all of its processes. */
  settled: Settings;
  link: ParentLink;
};

/** `isStandIn`: the database is away; `isReached`: and is back. */
type Opened = ChildOptions & { isStandIn: boolean; isReached: () => boolean };

const SETTLE_LOOK_MS = 200;

/** Waits until the ledger has the charges that a full disk has left in memory. `leave`: the server is stopped. */
async function waitForLedger({ billing, timers }: Runtime, leave: AbortSignal): Promise<void> {
  while (billing.unsettled() > 0 && !leave.aborted) {
    await sleep(timers, SETTLE_LOOK_MS, leave);
  }
}

/** For signals before there is anything to finish. */
const abandon = () => process.exit(1);

function fail(error: unknown): void {
  const words = error instanceof ConfigError ? error.message : String((error as Error)?.stack ?? error);
  const failed: ToParent = { kind: "failed", words };
  process.send?.(failed, undefined, undefined, () => process.exit(1));
}

async function listen(server: Server, at: ListenOptions): Promise<void> {
  server.listen(at);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE" ? portInUse(at) : error;
  });
}

/**
 * Signals and the end of the parent mean the same as its message `drain`: finish the work under way, and exit. A new
 * parent waits for the port of a dead one.
 */
function onStop(link: ParentLink, stop: (isHurried: boolean) => void): void {
  for (const signal of SIGNALS) {
    process.on(signal, () => stop(isAtOnce(signal)));
  }
  process.on("SIGHUP", () => {});
  link.on("drain", ({ isHurried }) => stop(isHurried));
  link.onGone(() => stop(true));
}

/** Answers the messages that the parent sends to every process. */
function answerParent(link: ParentLink, { metrics, log }: Runtime): void {
  link.on("ping", () => link.send({ kind: "pong" }));
  link.on("measure", ({ id }) => {
    metrics.registry.getMetricsAsJSON().then(
      (measured) => link.send({ kind: "measured", id, metrics: measured }),
      (error: unknown) => log.warn({ err: error }, "metrics could not be sent to the parent process"),
    );
  });
}

function openRuntime(
  config: Config,
  { name, link, isStandIn, isReached }: Opened,
  kind: ChildKind,
): Promise<Runtime> {
  const options = {
    config,
    databaseUrl: databaseUrlOf(config),
    name,
    // A stand-in is alone.
    originLimits: kind.originLimits(isStandIn ? { ...config, WEB_CONCURRENCY: 1 } : config),
    shares: kind.sharesOf(config, parentsShares(link)),
  };
  if (!isStandIn) {
    return createRuntime(options);
  }
  return openStandIn(options, () => !isReached());
}

async function run(options: ChildOptions, kind: ChildKind): Promise<void> {
  const { link } = options;
  let stop = abandon as (isHurried: boolean) => void;
  onStop(link, (isHurried) => stop(isHurried));
  const opened = new Promise<boolean>((resolve) =>
    link.on("open", ({ isStandIn = false }) => resolve(isStandIn)),
  );
  link.send({ kind: "loaded" });
  let isReached = false;
  link.on("reach", () => {
    isReached = true;
  });
  const how = { ...options, isStandIn: await opened, isReached: () => isReached };
  const config = { ...loadConfig(), ...options.settled };
  const runtime = await openRuntime(config, how, kind);
  shareRuntime(runtime);
  const { server, end } = await kind.open(runtime, how);
  answerParent(link, runtime);

  let isStopping = false;
  const hurry = new AbortController();
  const leave = new AbortController();
  // A part that hangs, such as a database that is away, must not keep the process from exiting.
  const endInTime = () => setTimeout(() => process.exit(1), stopMs(config)).unref();
  const finish = async () => {
    const late = endInTime();
    await Promise.all([
      closeServer(server, runtime, hurry.signal),
      // Their leases are still renewed meanwhile: a run that is cut off has cost its upstream's price, and fails.
      runtime.backgroundRuns.finishWithin(lameDuckMs(config) + config.DRAIN_SECONDS * 1000),
    ]);
    if (isReached) {
      clearTimeout(late);
      await waitForLedger(runtime, leave.signal);
      endInTime();
    }
    await end();
    await runtime.close();
    process.exit(0);
  };
  stop = (isHurried) => {
    if (isHurried) {
      hurry.abort();
    }
    if (!isStopping) {
      isStopping = true;
      finish().catch(fail);
    } else {
      leave.abort();
    }
  };
  link.on("listen", ({ at }) => {
    listen(server, at).then(() => link.send({ kind: "listening" }), fail);
  });
  link.send({ kind: "prepared" });
}

export type ChildKind = {
  /** Of its calls to one upstream's address. */
  originLimits: (config: Config) => OriginLimits;
  /** The limits that its calls share. `common`: shared with the calls of other processes. */
  sharesOf: (config: Config, common: Shares) => Shares;
  open: (runtime: Runtime, options: Opened) => Promise<Service>;
};

/**
 * Garbage is collected when the heap is 1.6 times as large as after the last collection. V8's own limit is up to four
 * times, and the pages of collected garbage stay with the process.
 */
const HEAP_GROWTH = "--heap-growing-percent=60";

/** Runs such a process from start to end; the parent has started it. */
export function runChild(kind: ChildKind): void {
  setFlagsFromString(HEAP_GROWTH);
  const [name = "", consoleSocket = "", settled = "{}"] = process.argv.slice(2);
  run({ name, consoleSocket, settled: JSON.parse(settled), link: linkToParent() }, kind).catch(fail);
}
