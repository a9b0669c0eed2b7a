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
import { createRuntime, migrationsFolder, type Runtime } from "@/server/runtime/runtime";
import { shareRuntime } from "@/server/runtime/shared-runtime";
import { startWorker } from "@/server/worker";
import { type VendorName, vendors } from "./upstream";

const price = (text: string) => parseMoney(text) ?? nanos(0n);
const CALLS = /\/(responses|messages|chat\/completions)(\?|$)|:(stream)?generateContent(\?|$)/i;

/** Starts a gateway in this process, with its own PostgreSQL, for the programs under test. */
export async function startGateway() {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-clients-"));
  const database = await startEmbeddedPostgres(directory, () => {});
  await migrateDatabase(database.url, migrationsFolder());
  const variables = {
    DATABASE_URL: database.url,
    AUTH_SECRET: "a".repeat(32),
    ENCRYPTION_KEY: "e".repeat(32),
    KEY_PEPPER: "p".repeat(32),
    LOG_LEVEL: "silent",
  };
  const config = loadConfig({ ...variables, COMPAT_ERRORS: "false" });
  const runtime = await createRuntime({ config, databaseUrl: database.url });
  shareRuntime(runtime);
  const compat = await createRuntime({
    config: loadConfig({ ...variables, COMPAT_ERRORS: "true" }),
    databaseUrl: database.url,
  });
  const stopWorker = startWorker(runtime);
  const statuses: number[] = [];
  const serve = async (runtime: Runtime) => {
    const others = answerConsole(runtime, () => ({ status: 404, headers: {}, body: "" }));
    const server = createHttpServer(runtime, others);
    server.prependListener("request", (request, response) => {
      if (request.method === "POST" && CALLS.test(request.url ?? "")) {
        const at = statuses.push(0) - 1;
        response.once("close", () => (statuses[at] = response.statusCode));
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  };
  const servers = [await serve(runtime), await serve(compat)];
  const [url = "", compatUrl = ""] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  return {
    url,
    /** The address that answers errors with the fields that SDKs read. */
    compatUrl,
    /** The statuses of the model calls so far, in any dialect; 0 while a call is under way. */
    statuses: () => [...statuses],
    /** The key of a new account. `quota` is in currency units. */
    key: async ({ quota = "1000", ...limits }: { quota?: string; requestsPerMinute?: number } = {}) => {
      const name = randomUUID();
      const account = await createAccount(runtime.db, { name, monthlyQuotaNanos: price(quota) });
      const input = { accountId: account.id, name, ...limits };
      return (await issueKey(runtime.db, input, config.KEY_PEPPER ?? "")).secret;
    },
    /** A new model with its own channel to this vendor at `baseUrl`. */
    model: async (name: VendorName, baseUrl: string, prefix = "model-") => {
      const { dialect, vendor, model } = vendors[name];
      const id = `${prefix}${randomUUID().slice(0, 8)}`;
      const prices = { inputPrice: price("1"), outputPrice: price("2") };
      await saveModel(runtime.db, { id, kind: "chat", isEnabled: true, maxOutputTokens: 64_000, ...prices });
      await addChannel(
        runtime.db,
        {
          name: id,
          dialect,
          vendor,
          baseUrl: name === "gemini" ? baseUrl.replace(/\/v1$/, "") : baseUrl,
          secrets: ["upstream-secret"],
          models: { [id]: model },
        },
        runtime.vault,
      );
      for (const { catalog, channels } of [runtime, compat]) {
        catalog.forget();
        channels.forget();
      }
      return id;
    },
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      await stopWorker();
      await runtime.close();
      await compat.close();
      await database.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
