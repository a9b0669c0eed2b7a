/** Measures sound in a thread that measure-thread.ts starts: a large file takes a fifth of a second. */
import { parentPort } from "node:worker_threads";
import { type Measured, measure } from "@/server/protocol/sound/measure";

export type Job = { file: Uint8Array };
export type Done = Measured;

const port = parentPort;
if (port === null) {
  throw new Error("this file runs as a worker thread");
}
port.on("message", ({ file }: Job) => {
  port.postMessage(measure(file) satisfies Done);
});
