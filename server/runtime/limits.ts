/** The limits of a server: those of its configuration, and for the others what this machine can carry. */
import { type Config, gatewaysOf } from "@/server/base/config";
import { type Machine, thisMachine } from "./machine";

/** Of all processes of a server together, except `cachedKeys`, which is for each. */
export type Limits = {
  /** Concurrent calls. */
  calls: number;
  /** Concurrent calls to one upstream's address. */
  upstreamCalls: number;
  /** Calls that wait for their turn at one. */
  waitingCalls: number;
  /** Concurrent readers of video files. */
  fileReaders: number;
  cachedKeys: number;
};

/** The variables whose default depends on the machine. */
export type Settings = Pick<
  Config,
  | "WEB_CONCURRENCY"
  | "MAX_CONCURRENT_CALLS"
  | "MAX_UPSTREAM_CALLS"
  | "MAX_WAITING_CALLS"
  | "MAX_FILE_READERS"
  | "MAX_CACHED_KEYS"
>;

/** Descriptors of a gateway for other things: the database, the log, the parent, modules that are being loaded. */
const OWN_DESCRIPTORS = 512;

/** A call and a reader of a file have the client's connection and the upstream's. */
const DESCRIPTORS_A_CALL = 2;

/** Half of the memory is for calls. An open stream takes about 100 kB (docs/benchmarks.md, "Slow calls"). */
const MEMORY_SHARE = 1 / 2;
const BYTES_A_CALL = 96 * 1024;

/** A key takes up to 2 kB: its row, its names, and its places in two maps. */
const KEYS_SHARE = 1 / 50;
const BYTES_A_KEY = 2 * 1024;

const within = (min: number, max: number, value: number) => Math.floor(Math.min(Math.max(value, min), max));

/** The defaults of this release for a machine. Pure. */
export function carriedBy(machine: Machine, gateways: number): Pick<Limits, "calls" | "cachedKeys"> {
  const byDescriptors = (gateways * (machine.descriptors - OWN_DESCRIPTORS)) / DESCRIPTORS_A_CALL;
  const byMemory = (machine.memoryBytes * MEMORY_SHARE) / BYTES_A_CALL;
  return {
    // The rest of the descriptors is for readers of files, idle connections, and the refusal of one call too many.
    calls: within(64, 100_000, Math.min((byDescriptors * 7) / 8, byMemory)),
    cachedKeys: within(1_000, 200_000, (machine.memoryBytes * KEYS_SHARE) / gateways / BYTES_A_KEY),
  };
}

/** A server's limits. `machine`: where it runs. */
export function limitsOf(config: Settings, machine = thisMachine()): Limits {
  const carried = carriedBy(machine, gatewaysOf(config));
  const calls = config.MAX_CONCURRENT_CALLS ?? carried.calls;
  const upstreamCalls = config.MAX_UPSTREAM_CALLS ?? calls;
  return {
    calls,
    upstreamCalls,
    waitingCalls: config.MAX_WAITING_CALLS ?? within(64, 100_000, upstreamCalls / 8),
    fileReaders: config.MAX_FILE_READERS ?? within(16, 1_024, calls / 16),
    cachedKeys: config.MAX_CACHED_KEYS ?? carried.cachedKeys,
  };
}

/** The limits as settings, so that a process that is started later has those of its siblings. */
export const asSettings = (config: Settings, limits: Limits): Settings => ({
  WEB_CONCURRENCY: gatewaysOf(config),
  MAX_CONCURRENT_CALLS: limits.calls,
  MAX_UPSTREAM_CALLS: limits.upstreamCalls,
  MAX_WAITING_CALLS: limits.waitingCalls,
  MAX_FILE_READERS: limits.fileReaders,
  MAX_CACHED_KEYS: limits.cachedKeys,
});
