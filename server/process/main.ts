/**
 * The server: config -> its gateways, which load their code -> database -> migrations -> first boot -> the gateways
 * listen -> console, and all of it in reverse at SIGTERM. It answers no requests itself, so that little can make it
 * fail.
 */
import type { ListenOptions } from "node:net";
import { type Config, ConfigError, loadConfig } from "@/server/base/config";
import { openDataDirectory } from "@/server/base/data-directory";
import { createLog } from "@/server/base/log";
import { localAddress, publicAddress } from "@/server/base/own-address";
import { loadSecrets } from "@/server/base/secrets";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/server/db/embedded";
import { startBoot } from "./booting";
import { bootCovered } from "./cover";
import type { FirstBoot } from "./first-boot";
import { findPort } from "./port";
import { openRunDirectory } from "./run-directory";
import { startProcesses } from "./server-processes";
import { isAtOnce, SIGNALS } from "./stopping";

const WITHOUT_DATABASE =
  "The database does not respond: calls are served from the snapshot, and the console is not available.";

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

/**
 * For signals before there is anything to finish. It is an orderly exit all the same, which also stops the embedded
 * database.
 */
const abandon = () => process.exit(1);

function fail(error: unknown): void {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : String((error as Error)?.stack ?? error)}\n`,
  );
  process.exit(1);
}

function onSignals(hear: (signal: string) => void): void {
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal);
    process.on(signal, () => hear(signal));
  }
}

async function main(): Promise<void> {
  for (const signal of SIGNALS) {
    process.on(signal, abandon);
  }
  // Closing the terminal ends nothing, and there are no files to reopen.
  process.on("SIGHUP", () => {});
  const config = loadConfig();
  // Before the first step that takes long.
  openDataDirectory(config);
  loadSecrets(config);
  const log = createLog(config.LOG_LEVEL, undefined, "parent");
  const directory = await openRunDirectory(log);
  let open = () => {};
  let listenAt = (_: ListenOptions) => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const at = new Promise<ListenOptions>((resolve) => {
    listenAt = resolve;
  });
  // The gateways and the boot's process load their code while the database starts.
  const processes = startProcesses(config, { directory, opened, at }, log);
  const firstBootOf = startBoot();
  const database = await openDatabaseUrl(config);

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) {
      // A second signal means: at once.
      await processes.stop(true);
      return;
    }
    stopping = true;
    say(`${signal}: finishing what is under way`);
    await processes.stop(isAtOnce(signal));
    await database.stop();
    log.flush();
    process.exit(0);
  };
  const stopOnSignals = () => onSignals((signal) => void stop(signal).catch(fail));
  /** Found once: the stand-in has the port when the gateways need it. */
  let found: Promise<number> | null = null;
  const portOf = () => {
    found ??= findPort(config);
    return found;
  };
  const made = await bootCovered(firstBootOf, {
    ...{ url: database.url, log, onSchema: open },
    serve: async () => {
      stopOnSignals();
      await processes.standIn({ host: config.HOST, port: await portOf() });
      say(WITHOUT_DATABASE);
    },
    fail: (error) => {
      if (!stopping) {
        stopping = true;
        void processes.stop(false).then(() => fail(error), fail);
      }
    },
  });
  const port = await portOf();
  listenAt({ host: config.HOST, port });
  stopOnSignals();
  await processes.ready.catch(async (error: unknown) => {
    if (!stopping) {
      stopping = true;
      // The gateways serve already. Their calls end, and are charged, before the database stops.
      await processes.stop(false);
      await database.stop();
      throw error;
    }
  });
  if (!stopping) {
    const adminLink = made.adminLink && `${publicAddress(config, port)}${made.adminLink}`;
    say(welcome(localAddress({ ...config, PORT: port }), { ...made, ...(adminLink && { adminLink }) }));
  }
}

main().catch(fail);
