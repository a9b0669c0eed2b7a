/** Measures sound in a thread that measure-thread.ts starts: what clients send may make a parser run for ever. */
import { parentPort } from "node:worker_threads";
import { measure } from "./measure";

export type Job = { file: Uint8Array };
/** In seconds; null: it does not say. */
export type Done = { seconds: number | null };

const port = parentPort;
if (port === null) {
  throw new Error("this file runs as a worker thread");
}
port.on("message", async ({ file }: Job) => {
  port.postMessage({ seconds: await measure(file) } satisfies Done);
});
