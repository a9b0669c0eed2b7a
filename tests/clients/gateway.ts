import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, issueKey } from "@/server/access";
import { loadConfig } from "@/server/base/config";
import { nanos, parseMoney } from "@/server/base/money";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { migrateDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { answerConsole } from "@/server/process/console-handler";
import { createHttpServer } from "@/server/process/http";
import { createRuntime, migrationsFolder, shareRuntime } from "@/server/process/runtime";
import { startWorker } from "@/server/worker";
import type { VendorDialect } from "./upstream";

const price = (text: string) => parseMoney(text) ?? nanos(0n);
const CALLS = /\/(responses|messages|chat\/completions)(\?|$)/;

/** A gateway in this process with a PostgreSQL of its own, for programs to be run against. */
export async function startGateway() {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-clients-"));
  const database = await startEmbeddedPostgres(directory, () => {});
  await migrateDatabase(database.url, migrationsFolder());
  const config = loadConfig({
    DATABASE_URL: database.url,
    AUTH_SECRET: "a".repeat(32),
    ENCRYPTION_KEY: "e".repeat(32),
    KEY_PEPPER: "p".repeat(32),
    LOG_LEVEL: "silent",
  });
  const runtime = await createRuntime({ config, databaseUrl: database.url });
  shareRuntime(runtime);
  const stopWorker = startWorker(runtime);
  const others = answerConsole(runtime, (_incoming, outgoing) => void outgoing.writeHead(404).end());
  const server = createHttpServer(runtime, others);
  let calls = 0;
  server.prependListener("request", (request) => {
    calls += request.method === "POST" && CALLS.test(request.url ?? "") ? 1 : 0;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many model calls have come so far, in whatever dialect. */
    calls: () => calls,
    /** A new account's key. `quota` in currency units. */
    key: async ({ quota = "1000", ...limits }: { quota?: string; requestsPerMinute?: number } = {}) => {
      const name = randomUUID();
      const account = await createAccount(runtime.db, { name, monthlyQuotaNanos: price(quota) });
      const wanted = { accountId: account.id, name, ...limits };
      return (await issueKey(runtime.db, wanted, config.KEY_PEPPER ?? "")).secret;
    },
    /** A new model with a channel of its own to `baseUrl`. */
    model: async (dialect: VendorDialect, baseUrl: string) => {
      const id = `model-${randomUUID().slice(0, 8)}`;
      const prices = { inputPrice: price("1"), outputPrice: price("2") };
      await saveModel(runtime.db, { id, kind: "chat", isEnabled: true, maxOutputTokens: 64_000, ...prices });
      await addChannel(
        runtime.db,
        { name: id, dialect, baseUrl, secrets: ["upstream-secret"], models: { [id]: id } },
        runtime.vault,
      );
      runtime.catalog.forget();
      runtime.channels.forget();
      return id;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await stopWorker();
      await runtime.close();
      await database.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
