import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@/tests/support/free-port";
import { type Server, startStranger } from "../processes";
import { installed } from "./installed";

const VERSION = "1.15.2";
/**
 * With a newer version of it, Portkey refuses every stream on Node (github.com/Portkey-AI/gateway/issues/1389). Its
 * JSON calls are not slower with this one.
 */
const NODE_SERVER = "1.13.8";

/** Installs Portkey in its own folder, not into the project, and starts it. */
export async function startPortkey(): Promise<Server> {
  const folder = await installed(`portkey-${VERSION}`, async (into, installer) => {
    const manifest = {
      private: true,
      dependencies: { "@portkey-ai/gateway": VERSION },
      overrides: { "@hono/node-server": NODE_SERVER },
    };
    await writeFile(join(into, "package.json"), JSON.stringify(manifest));
    await installer("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error");
  });
  const port = await freePort();
  const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const args = [program, `--port=${port}`, "--headless"];
  return await startStranger({ args, place: "first core" }, { port, path: "/" });
}

/** The headers that make Portkey send a call to this upstream. */
export const portkeyHeaders = (upstreamUrl: string) => ({
  authorization: "Bearer upstream-secret",
  "x-portkey-provider": "openai",
  "x-portkey-custom-host": `${upstreamUrl}/v1`,
});
