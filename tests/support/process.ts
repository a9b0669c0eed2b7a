import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timed } from "./file-times";
import { freePort } from "./free-port";
import { until } from "./until";

const BUILD_MS = 600_000;

export type ServerProcess = Awaited<ReturnType<typeof spawnServer>>;

/** Whether the server itself reports that it is ready. */
export const isReady = async (url: string): Promise<boolean> =>
  (await fetch(`${url}/readyz`).catch(() => null))?.ok === true;

/** `npm test` builds the console while tests already run, and writes into this file when the build is done. */
export async function waitForBuild(): Promise<void> {
  const file = process.env.BUILD_FILE;
  if (file !== undefined) {
    await until(() => existsSync(file) && readFileSync(file, "utf8") !== "", BUILD_MS);
    if (readFileSync(file, "utf8") !== "done") {
      throw new Error("the build failed: its words stand above");
    }
  }
}

/**
 * Starts the built server (`dist/main.js`, made by `npm run build`) of a folder, on a free port or its PORT, and waits
 * until it is ready and its console listens. One gateway, unless WEB_CONCURRENCY says more. `command`: another way to start
 * it.
 */
export const startServer = (
  env: Record<string, string>,
  folder = ".",
  command: [string, ...string[]] = [process.execPath, "dist/main.js"],
): Promise<ServerProcess> =>
  timed("server", () => spawnServer(env, { folder, command, upWords: "Tollgate is up." }));

/** Starts it while its database is away: it is ready, and has no console. */
export const startStandIn = (env: Record<string, string>): Promise<ServerProcess> =>
  spawnServer(env, {
    ...{ folder: ".", command: [process.execPath, "dist/main.js"] },
    upWords: "calls are served from the snapshot",
  });

async function spawnServer(
  env: Record<string, string>,
  { folder, command, upWords }: { folder: string; command: [string, ...string[]]; upWords: string },
) {
  await waitForBuild();
  const port = Number(env.PORT ?? (await freePort()));
  const dataDir = env.TOLLGATE_DATA_DIR ?? mkdtempSync(join(tmpdir(), "tollgate-server-"));
  const { NODE_COMPILE_CACHE } = process.env;
  const [program, ...words] = command;
  const child = spawn(program, words, {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH ?? "", NODE_ENV: "production", LOG_LEVEL: "warn" },
      WEB_CONCURRENCY: "1",
      ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
      ...env,
      TOLLGATE_DATA_DIR: dataDir,
      PORT: String(port),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that fails half-way leaves no process behind.
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  child.once("exit", () => {
    process.off("exit", end);
    if (env.TOLLGATE_DATA_DIR === undefined) {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const url = `http://127.0.0.1:${port}`;
  try {
    await until(async () => {
      if (child.exitCode !== null) {
        throw new Error(`the server ended: ${output}`);
      }
      return output.includes(upWords) && (await isReady(url));
    }, 60_000);
  } catch (error) {
    end();
    const readiness = await fetch(`${url}/readyz`).then((answer) => answer.text(), String);
    throw new Error(`the server does not serve: ${readiness}\n${output}`, { cause: error });
  }
  return {
    url,
    child,
    output: () => output,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
    },
  };
}
