import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

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
