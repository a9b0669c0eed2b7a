import { Pool } from "undici";
import { modelOf } from "../chat";
import { spreadOf } from "../measures/percentile";
import { chatCall } from "./load";
import { type LoadTarget, readStream } from "./read-stream";

/** Streams that are open. `served`: those that have begun; `over`: all of them have ended. */
export type SlowStreams = { served: number; refusals: string[]; ended: () => number; over: Promise<void> };

/** More at a time would wait for each other, and measure the queue. */
const OPENED_AT_ONCE = 32;

/**
 * Opens streams of `words` words, one every 15 s, and returns when each has its first event or is refused. `over`
 * throws if one that has begun does not end whole.
 */
export async function openSlowStreams(
  target: LoadTarget,
  { streams, words }: { streams: number; words: number },
): Promise<SlowStreams> {
  const pool = new Pool(target.url, { connections: streams, pipelining: 1 });
  const call = { model: modelOf("slow"), events: words };
  const readings: Promise<unknown>[] = [];
  const refusals: string[] = [];
  let left = streams;
  let ended = 0;
  const open = async () => {
    while (left > 0) {
      left--;
      await new Promise<void>((resolve) => {
        let isBegun = false;
        const begin = () => {
          isBegun = true;
          resolve();
        };
        const reading = readStream(pool, target, { call, onBegin: begin }).then(
          () => void ended++,
          (error: unknown) => {
            ended++;
            if (isBegun) {
              throw error;
            }
            refusals.push(String(error));
            resolve();
          },
        );
        readings.push(reading);
      });
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, open));
  const over = Promise.all(readings)
    .then(() => {})
    .finally(() => pool.destroy());
  // The caller that waits for the end gets its error.
  over.catch(() => {});
  return { served: streams - refusals.length, refusals, ended: () => ended - refusals.length, over };
}

/** Streamed calls one after the other: milliseconds from each call to its first event. */
export async function firstEvents(target: LoadTarget, calls: number): Promise<{ p50: number; p99: number }> {
  const pool = new Pool(target.url, { connections: 1, pipelining: 1 });
  const times: number[] = [];
  try {
    while (times.length < calls) {
      times.push((await readStream(pool, target, { call: chatCall })).firstByteMs);
    }
    return spreadOf(times);
  } finally {
    await pool.destroy();
  }
}
