/**
 * The gateway in a process that tells the bench what it does, with its ledger or without: `server/process/main.ts`
 * without its database, its first boot and Next.
 */
import { once } from "node:events";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { loadConfig } from "@/server/base/config";
import { answerConsole } from "@/server/process/console-handler";
import { createHttpServer } from "@/server/process/http";
import { createRuntime, shareRuntime } from "@/server/process/runtime";
import { startWorker } from "@/server/worker";
import { type Answers, serveBench } from "./messages";
import { noLedger } from "./no-ledger";

const config = loadConfig();
const runtime = await createRuntime({
  config,
  databaseUrl: config.DATABASE_URL ?? "",
  ...(process.argv.includes("--no-ledger") && { billing: noLedger }),
});
shareRuntime(runtime);
startWorker(runtime);
const others = answerConsole(runtime, (_incoming, outgoing) => void outgoing.writeHead(404).end());
const server = createHttpServer(runtime, others);
server.listen(0, "127.0.0.1");
await once(server, "listening");

const session = new Session();
session.connect();
const answers: Answers = {
  profile: async () => {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
    return null;
  },
  profiled: async () => (await session.post("Profiler.stop")).profile,
};
serveBench((server.address() as AddressInfo).port, answers);
