/** The gateway under test, in a process of its own: `server/process/main.ts` without its database, its first boot and Next. */
import { once } from "node:events";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { loadConfig } from "@/server/base/config";
import { createHttpServer } from "@/server/process/http";
import { createRuntime, shareRuntime } from "@/server/process/runtime";
import { startWorker } from "@/server/worker";
import { type Answers, type Memory, serveBench } from "./messages";
import { noLedger } from "./no-ledger";

const config = loadConfig();
const runtime = await createRuntime({
  config,
  databaseUrl: config.DATABASE_URL ?? "",
  ...(process.argv.includes("--no-ledger") && { billing: noLedger }),
});
shareRuntime(runtime);
startWorker(runtime);
const server = createHttpServer(runtime, (_incoming, outgoing) => void outgoing.writeHead(404).end());
server.listen(0, "127.0.0.1");
await once(server, "listening");

const session = new Session();
session.connect();
let peakBytes = 0;
let watch: NodeJS.Timeout | undefined;
const look = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
};

const answers: Answers = {
  // In microseconds; the system's own account of a process has hundredths of a second.
  cpu: async () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory: async (): Promise<Memory> => {
    // Twice: what the first collection finalises, the second frees.
    globalThis.gc?.();
    await new Promise(setImmediate);
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    return { rssBytes: rss, heapBytes: heapUsed };
  },
  watch: async () => {
    peakBytes = 0;
    look();
    watch = setInterval(look, 2);
    return null;
  },
  peak: async () => {
    clearInterval(watch);
    look();
    return peakBytes;
  },
  profile: async () => {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
    return null;
  },
  profiled: async () => (await session.post("Profiler.stop")).profile,
};
serveBench((server.address() as AddressInfo).port, answers);
