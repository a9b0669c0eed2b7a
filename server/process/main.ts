/**
 * The server: config -> database -> migrations -> first boot -> http -> worker, and all of it back again at SIGTERM.
 */
import { once } from "node:events";
import { join } from "node:path";
import next from "next";
import { type Config, ConfigError, loadConfig, publicAddress } from "@/server/base/config";
import { loadSecrets } from "@/server/base/secrets";
import { isTransient, migrateDatabase } from "@/server/db";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/server/db/embedded";
import { startWorker } from "@/server/worker";
import { type FirstBoot, firstBoot } from "./first-boot";
import { createHttpServer } from "./http";
import { createRuntime, migrationsFolder, type Runtime, shareRuntime } from "./runtime";
import { createStaticFiles } from "./static-files";

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function openDatabaseUrl(config: Config): Promise<EmbeddedPostgres> {
  return config.DATABASE_URL
    ? { url: config.DATABASE_URL, stop: async () => {} }
    : await startEmbeddedPostgres(config.TOLLGATE_DATA_DIR, say);
}

function welcome(address: string, made: FirstBoot): string {
  const lines = ["", `Tollgate is up.`, `  API       ${address}/v1`, `  Console   ${address}/`];
  if (made.adminEmail) {
    const how = made.adminPassword
      ? `password ${made.adminPassword}`
      : "the password of TOLLGATE_ADMIN_PASSWORD";
    lines.push(
      made.adminLink
        ? `            ${made.adminEmail} sets a password, once and within a day, at ${made.adminLink}`
        : `            sign in as ${made.adminEmail} with ${how}`,
    );
  }
  if (made.demoKey) {
    lines.push(
      `  Demo key  ${made.demoKey}`,
      "",
      "Try it:",
      `  curl ${address}/v1/chat/completions -H "Authorization: Bearer ${made.demoKey}" -H "Content-Type: application/json" -d '{"model":"sandbox-chat","messages":[{"role":"user","content":"Hello"}]}'`,
    );
  }
  return [...lines, ""].join("\n");
}

type Listening = { address: string; publicAddress: string; close: () => Promise<void> };

async function listen(runtime: Runtime): Promise<Listening> {
  const { config } = runtime;
  const dev = config.NODE_ENV === "development";
  const console = next({ dev, dir: process.cwd(), hostname: config.HOST, port: config.PORT });
  await console.prepare();
  const answer = console.getRequestHandler();
  const isSent = dev ? () => false : createStaticFiles(join(process.cwd(), ".next", "static"));
  const server = createHttpServer(runtime, (incoming, outgoing) =>
    isSent(incoming, outgoing) ? undefined : answer(incoming, outgoing),
  );
  if (dev) {
    // Pages that are being worked on are sent to the browser as they change.
    server.on("upgrade", console.getUpgradeHandler());
  }
  server.listen(config.PORT, config.HOST);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE"
      ? new ConfigError(`Port ${config.PORT} of ${config.HOST} is in use: set PORT to another one.`)
      : error;
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound ? bound.port : config.PORT;
  return {
    address: publicAddress({ ...config, PUBLIC_URL: undefined }, port),
    publicAddress: publicAddress(config, port),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      // Calls under way may finish. Then they end with an error that SDKs understand, and what is left is cut a little
      // later: clients that do not read.
      const end = setTimeout(() => runtime.endCalls(), config.DRAIN_SECONDS * 1000);
      const cut = setTimeout(() => server.closeAllConnections(), (config.DRAIN_SECONDS + CUT_SECONDS) * 1000);
      // A client that keeps its connection for the next call would hold us up for the whole drain.
      const idle = setInterval(() => server.closeIdleConnections(), 100);
      await closed;
      clearTimeout(end);
      clearTimeout(cut);
      clearInterval(idle);
      await console.close();
    },
  };
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** After the end of a drain, for charges and last words. */
const CUT_SECONDS = 5;

/** For closing, once the drain is over. */
const CLOSE_SECONDS = 20;

/** Before there is anything to finish. An orderly exit all the same: it takes the embedded database along. */
const abandon = () => process.exit(1);

function fail(error: unknown): void {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : String((error as Error)?.stack ?? error)}\n`,
  );
  process.exit(1);
}

async function main(): Promise<void> {
  for (const signal of SIGNALS) {
    process.on(signal, abandon);
  }
  const config = loadConfig();
  // Before the first thing that takes long.
  loadSecrets(config);
  const database = await openDatabaseUrl(config);
  await migrateDatabase(database.url, migrationsFolder()).catch((error: unknown) => {
    throw isTransient(error) ? new ConfigError(`The database does not answer: ${String(error)}`) : error;
  });
  const runtime = await createRuntime({ config, databaseUrl: database.url });
  shareRuntime(runtime);
  const made = await firstBoot(runtime, say);
  const server = await listen(runtime);
  const stopWorker = startWorker(runtime);
  const adminLink = made.adminLink && `${server.publicAddress}${made.adminLink}`;
  say(welcome(server.address, { ...made, ...(adminLink && { adminLink }) }));

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) {
      return;
    }
    stopping = true;
    say(`${signal}: finishing what is under way`);
    // Whatever hangs, a database that is away for one, must not keep the process from going.
    setTimeout(() => process.exit(1), (config.DRAIN_SECONDS + CLOSE_SECONDS) * 1000).unref();
    runtime.drain();
    await server.close();
    await stopWorker();
    await runtime.close();
    await database.stop();
    process.exit(0);
  };
  for (const signal of SIGNALS) {
    process.off(signal, abandon);
    process.on(signal, () => void stop(signal).catch(fail));
  }
}

main().catch(fail);
