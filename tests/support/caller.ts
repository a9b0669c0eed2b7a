import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { collectGarbage } from "./collect-garbage";
import { cpuTimeMs } from "./cpu-time";

type OutsideCall = { url: string; headers: Record<string, string>; body: Uint8Array; times: number };
/** `status` 0: the connection ended before an answer. */
type OutsideAnswer = { status: number; retryAfter: string | null };

/**
 * Posts a body, `times` times at once, from another process, so that the client's work and memory do not count for this
 * one.
 */
export async function postFromOutside({ body, ...call }: OutsideCall): Promise<OutsideAnswer[]> {
  const program = fileURLToPath(new URL("./caller-process.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(call)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(body);
  return JSON.parse(await text(child.stdout)) as OutsideAnswer[];
}

/** Returns a function for the largest growth of this process in bytes since the call. */
export function watchMemory(): () => number {
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  return () => {
    clearInterval(timer);
    return peak - before;
  };
}

/** Two short turns within this time count as one. */
const LOOK_EVERY_MS = 1;

/**
 * Returns a function for the longest turn of this thread's event loop since the call, in the thread's processor time,
 * so that a busy machine does not count. Collects garbage first: V8 would collect that of earlier bodies, hundreds of
 * megabytes, within a turn of this call.
 */
export function watchTurns(): () => number {
  collectGarbage();
  let longest = 0;
  let last = cpuTimeMs();
  let isOn = true;
  const turn = () => {
    const now = cpuTimeMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (isOn) {
      setTimeout(turn, LOOK_EVERY_MS);
    }
  };
  setTimeout(turn, LOOK_EVERY_MS);
  return () => {
    isOn = false;
    return longest;
  };
}
