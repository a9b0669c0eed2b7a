import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "@/tests/support/process";
import { type Server, serverOf, startNode } from "./processes";

const VERSION = "1.15.2";
export const PORTKEY = `@portkey-ai/gateway@${VERSION}`;
/**
 * Portkey under a newer one refuses every stream on Node (github.com/Portkey-AI/gateway/issues/1389). Its JSON calls
 * are no slower for it.
 */
const NODE_SERVER = "1.13.8";

async function waitUntilListening(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const reply = await fetch(url).catch(() => null);
    if (reply) {
      await reply.arrayBuffer();
      return;
    }
    await sleep(100);
  }
  throw new Error("Portkey does not start");
}

/** Installs Portkey beside the project, not into it, and starts it. Its folder goes when it is stopped. */
export async function startPortkey(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-portkey-"));
  const forget = () => rm(folder, { recursive: true, force: true });
  try {
    const manifest = {
      private: true,
      dependencies: { "@portkey-ai/gateway": VERSION },
      overrides: { "@hono/node-server": NODE_SERVER },
    };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await promisify(execFile)("npm", ["install", ...flags], { cwd: folder, timeout: 120_000 });
    const port = await freePort();
    const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
    const child = startNode({ args: [program, `--port=${port}`, "--headless"], isPinned: true });
    const server = serverOf(child, `http://127.0.0.1:${port}`);
    await waitUntilListening(server.url);
    return { ...server, stop: () => server.stop().then(forget) };
  } catch (error) {
    await forget();
    throw error;
  }
}
