import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { freePort } from "@/tests/support/free-port";
import { type Server, startServer, startStranger } from "../processes";

const programs = new URL("./", import.meta.url).pathname;

export const startNodeFloor = (upstreamUrl: string): Promise<Server> =>
  startServer({ args: [`${programs}floor-server.js`, upstreamUrl], place: "first core" });

/** Throws if Go is not installed. */
export async function startGoFloor(upstreamUrl: string): Promise<Server> {
  const program = resolve("dist/load/floor-go");
  await promisify(execFile)("go", ["build", "-o", program, "tests/load/contenders/floor.go"]);
  const port = await freePort();
  const args = [`127.0.0.1:${port}`, upstreamUrl];
  return await startStranger({ command: program, args, place: "first core" }, { port, path: "/" });
}
