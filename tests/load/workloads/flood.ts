import type { Asked } from "../chat";
import { readOneStream, type Target } from "./read-stream";

/** Microseconds an event, from the first byte to the last. Throws when the stream is not whole. */
export async function readFlood(target: Target, call: Asked): Promise<number> {
  const { firstByteMs, endMs } = await readOneStream(target, { call });
  return ((endMs - firstByteMs) * 1e3) / call.events;
}
