/**
 * Three video vendors on one port of this machine, with a clock that tests set. They are as strict as the real ones and
 * as unreliable as a test or a prompt asks (`script.ts` has the tokens). They record their requests and their bills.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { end, listen } from "../listen";
import { ark } from "./ark";
import { runningClock, type SimulatorClock } from "./clock";
import { dashscope } from "./dashscope";
import type { VendorDialect } from "./dialect";
import { serveSigned } from "./files";
import { createLedger } from "./ledger";
import { openAiVideos } from "./openai-videos";
import { readCall } from "./request";
import { createTasks, type Timing } from "./tasks";
import { createVendor } from "./vendor";
import { send, type WireLimits } from "./wire";

export { manualClock, runningClock } from "./clock";

export type SimulatorOptions = {
  /** Default: the machine's time. */
  clock?: SimulatorClock;
  port?: number;
  /** Key -> account. Default: `upstream-secret` of one account. */
  accounts?: Record<string, string>;
  /** Default: one second in the queue and ten of work, over at the second poll. */
  timing?: Timing;
  /** The number of an account and model's tasks that run at once. Default 2. */
  capacity?: number | ((model: string) => number);
  /** The number of an account's tasks that may wait. Default 120. */
  queueLimit?: number;
  /** Milliseconds of the machine's time before an answer. */
  latency?: (kind: "submit" | "poll") => number;
} & Partial<WireLimits>;

export type VideoSimulator = Awaited<ReturnType<typeof startVideoSimulator>>;

const GIBIBYTE = 2 ** 30;

function createWorld(options: SimulatorOptions, origin: () => string) {
  const clock = options.clock ?? runningClock();
  const { capacity = 2 } = options;
  const tasks = createTasks({
    now: clock.now,
    capacity: typeof capacity === "number" ? () => capacity : capacity,
    timing: options.timing ?? (() => ({ queueMs: 1_000, runMs: 10_000 })),
  });
  return {
    accounts: new Map(Object.entries(options.accounts ?? { "upstream-secret": "main" })),
    ...{ now: clock.now, origin, tasks, ledger: createLedger({ now: clock.now, tasks: tasks.all }) },
    queueLimit: options.queueLimit ?? 120,
  };
}

export async function startVideoSimulator(options: SimulatorOptions = {}) {
  let port = options.port ?? 0;
  const origin = () => `http://127.0.0.1:${port}`;
  const world = createWorld(options, origin);
  const answer = createVendor(world);
  const dialects: VendorDialect[] = [dashscope, ark, openAiVideos];
  const stopping = new AbortController();
  const wire = {
    hugeBytes: options.hugeBytes ?? GIBIBYTE,
    slowMs: options.slowMs ?? 60_000,
    signal: stopping.signal,
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", origin());
    const dialect = dialects.find(({ basePath }) => url.pathname.startsWith(`${basePath}/`));
    if (!dialect) {
      const reply = serveSigned(url, request.headers.range, world.now());
      return await send(response, { reply, fault: null }, wire);
    }
    const call = await readCall(request, url, dialect.basePath);
    const kind = dialect.operation(call)?.kind;
    const waitMs = kind === "submit" || kind === "poll" ? (options.latency?.(kind) ?? 0) : 0;
    if (waitMs > 0) {
      await setTimeout(waitMs, undefined, { signal: stopping.signal, ref: false });
    }
    await send(response, answer(dialect, call), wire);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A caller may hang up, and an answer may be unfinished when the simulator stops: neither is an error.
      const isOver = response.destroyed || stopping.signal.aborted;
      response.destroy();
      if (!isOver) {
        throw error;
      }
    });
  });
  port = await listen(server, { port, host: "127.0.0.1" });
  return {
    origin: origin(),
    /** The base URL of a channel, by dialect. */
    baseUrls: {
      dashscope: `${origin()}/dashscope/api/v1`,
      ark: `${origin()}/ark/api/v3`,
      "openai-video": `${origin()}/openai/v1`,
    },
    secret: [...world.accounts.keys()][0] ?? "",
    ledger: world.ledger,
    close: async () => {
      stopping.abort();
      await end(server);
    },
  };
}
