/** Measures sound in a thread that measure-thread.ts starts: a large file takes a fifth of a second. */
import { parentPort } from "node:worker_threads";
import { measure, type SoundMeasure } from "@/server/protocol/sound/measure";

export type MeasureJob = { file: Uint8Array };
export type MeasureResult = SoundMeasure;

const port = parentPort;
if (port === null) {
  throw new Error("this file runs as a worker thread");
}
port.on("message", ({ file }: MeasureJob) => {
  port.postMessage(measure(file) satisfies MeasureResult);
});
