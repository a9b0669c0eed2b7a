/**
 * The gateway in its own process, with a billing that writes nothing: `server/process/main.ts` without its database,
 * its first boot and Next.
 */

import { loadConfig } from "@/server/base/config";
import { answerConsole } from "@/server/process/console-handler";
import { createHttpServer } from "@/server/process/http";
import { createRuntime } from "@/server/runtime/runtime";
import { shareRuntime } from "@/server/runtime/shared-runtime";
import { startWorker } from "@/server/worker";
import { serveFree } from "./messages";
import { noLedger } from "./no-ledger";

const config = loadConfig();
const runtime = await createRuntime({ config, databaseUrl: config.DATABASE_URL ?? "", billing: noLedger });
shareRuntime(runtime);
startWorker(runtime);
const others = answerConsole(runtime, () => ({ status: 404, headers: {}, body: "" }));
const server = createHttpServer(runtime, others);
await serveFree(server);
