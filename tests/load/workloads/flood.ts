import { Pool } from "undici";
import type { ChatCall } from "../chat";
import { type LoadTarget, readStream } from "./read-stream";

/** Microseconds per event, from the first byte to the last. Throws if the stream is not complete. */
export async function readFlood(target: LoadTarget, call: ChatCall): Promise<number> {
  const pool = new Pool(target.url, { connections: 1 });
  try {
    const { firstByteMs, endMs } = await readStream(pool, target, { call });
    return ((endMs - firstByteMs) * 1e3) / call.events;
  } finally {
    await pool.destroy();
  }
}
