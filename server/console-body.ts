import type { IncomingMessage } from "node:http";
import { MAX_BODY_BYTES } from "./gateway";
import { plainReply, type Reply } from "./reply";

/** A sign-in is the largest of what has no line of its own. */
const FORM_BYTES = 64 * 1024;

/** Segments without dots or escapes, so that no path can pose as another. */
const LIMITS: readonly [path: RegExp, maxBytes: number][] = [
  [/^\/api\/playground(?:\/[\w-]+)+$/, MAX_BODY_BYTES],
  [/^\/api\/trpc\/[^/]+$/, 1024 * 1024],
];

/**
 * Refuses what no page of the console sends, before Next, which holds a body in memory before anybody is asked who sent
 * it. null: let it pass. A body of unknown length would pass every limit, and browsers announce theirs.
 */
export function refuseBody({ headers }: IncomingMessage, path: string): Reply | null {
  if (headers["transfer-encoding"] !== undefined) {
    return plainReply(411, "The length of the body must be announced (Content-Length).");
  }
  const maxBytes = LIMITS.find(([pattern]) => pattern.test(path))?.[1] ?? FORM_BYTES;
  return Number(headers["content-length"] ?? 0) > maxBytes
    ? plainReply(413, `The body is larger than ${maxBytes / 1024} kB.`)
    : null;
}
