import type { Dispatcher } from "undici";
import { UpstreamFault } from "../adapter";
import { send } from "../http";
import { readFileUrl } from "./file-url";
import type { Polled, VideoContent, VideoTarget } from "./video-upstream";

/** The headers that a player needs; the gateway drops the vendor's others. */
const kept = ["content-type", "content-length", "content-range", "accept-ranges", "etag", "last-modified"];

const MAX_HOPS = 3;
/**
 * A file may take its time; a vendor that is silent for this long has hung up. A client that pauses is not the vendor.
 */
const IDLE_MS = 60_000;

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

/** The target of a redirect; null if it cannot be followed. */
function nextUrl(status: number, location: string | undefined, from: string): string | null {
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  return isRedirect && location && URL.canParse(location, from)
    ? readFileUrl(new URL(location, from).href)
    : null;
}

/** Whether a page or a message came instead of a file: some servers answer 200 to unknown addresses. */
const isNoFile = (type = "") =>
  /^(?:text\/html|application\/xhtml\+xml|(?:application|text)\/(?:[\w.-]{1,64}\+)?json)$/i.test(
    (type.split(";", 1)[0] ?? "").trim(),
  );

type ContentRequest = { path: string; range: string | null; idleMs?: number };
type ContentReply = Awaited<ReturnType<typeof send>>;

/**
 * The answer at the end of redirects within the channel's own origin, or the address outside of it to which they lead.
 */
async function follow(
  dispatcher: Dispatcher,
  { baseUrl, secret, signal }: VideoTarget,
  { path, range, idleMs = IDLE_MS }: ContentRequest,
): Promise<ContentReply | string> {
  const own = new URL(baseUrl).origin;
  const headers = { authorization: `Bearer ${secret}`, ...(range !== null && { range }) };
  let url = `${baseUrl}${path}`;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const reply = await send(dispatcher, { method: "GET", url, headers, signal, idleMs });
    const next = nextUrl(reply.status, first(reply.headers.location), url);
    if (next === null) {
      return reply;
    }
    reply.discard();
    if (new URL(next).origin !== own) {
      return next;
    }
    url = next;
  }
  throw new UpstreamFault("refused", `more than ${MAX_HOPS} redirects for a video's file`);
}

/**
 * The file as it comes, never held whole. Only requests the channel's own origin: a vendor's answer must not choose
 * what this host fetches, and no other host may get the key (Wei-Shaw/sub2api#5678). Throws UpstreamFault `refused`
 * with the vendor's status (404: gone, 416: not in that range), `malformed` for a page instead of a file, and as `send`
 * does.
 */
export async function openContent(
  dispatcher: Dispatcher,
  target: VideoTarget,
  request: ContentRequest,
): Promise<VideoContent> {
  const reply = await follow(dispatcher, target, request);
  if (typeof reply === "string") {
    return { kind: "elsewhere", url: reply };
  }
  const { status, headers: replyHeaders, retryAfterMs, body, discard } = reply;
  if (status !== 200 && status !== 206) {
    discard();
    throw new UpstreamFault("refused", `status ${status} for a video's file`, { status, retryAfterMs });
  }
  if (isNoFile(first(replyHeaders["content-type"]))) {
    discard();
    throw new UpstreamFault("malformed", `${replyHeaders["content-type"]} for a video's file`, { status });
  }
  const pairs = kept
    .map((name) => [name, first(replyHeaders[name])])
    .filter(([, value]) => value !== undefined);
  return { kind: "file", status, headers: Object.fromEntries(pairs) as Record<string, string>, body };
}

/** Whether a completed task's file is ready, by its first byte. */
export async function probeContent(
  dispatcher: Dispatcher,
  target: VideoTarget,
  path: string,
): Promise<Polled> {
  const aborting = new AbortController();
  const signal = AbortSignal.any([target.signal, aborting.signal]);
  try {
    await openContent(dispatcher, { ...target, signal }, { path, range: "bytes=0-0" });
    return { kind: "completed", url: null, isServed: true };
  } catch (error) {
    if (!(error instanceof UpstreamFault)) {
      throw error;
    }
    const { reason, status, message, retryAfterMs } = error;
    return reason === "malformed" || status === 404 || status === 410
      ? { kind: "completed", url: null, isServed: false }
      : { kind: "transient", message, retryAfterMs };
  } finally {
    // Some servers do not know ranges: the rest of the file is not needed.
    aborting.abort();
  }
}
