import type { ClientRequest } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import type { Log } from "@/server/base/log";
import { type Reply, untilTaken } from "@/server/base/reply";
import { UpstreamFault } from "@/server/channels";
import type { AccountId, TaskId } from "@/server/domain/ids";
import { isSignedFor } from "@/server/domain/video-links";
import { isErased } from "@/server/videos";
import type { AuthedCall, OpenCall } from "../pipeline/call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { getOwnTask, taskIdOf } from "./videos";

/** The headers that a player needs; no other header of the vendor goes to the client. */
const passed = ["content-length", "content-range", "etag", "last-modified"];

/**
 * The file as it comes. Logs a break in the middle, which ends the answer before its announced length. Keeps a
 * reference to the request: without it the vendor's answer would not learn that the reader has gone.
 */
async function* pieces(
  body: AsyncIterable<Uint8Array>,
  { log, taskId, request }: { log: Log; taskId: TaskId; request: ClientRequest },
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!request.signal.aborted) {
      log.warn({ err: error, taskId }, "a video's file broke off");
    }
    throw error;
  }
}

/** The error for a vendor that does not deliver its file. */
function fileErrorOf(error: unknown): GatewayError {
  const status = error instanceof UpstreamFault ? error.status : null;
  const kinds = { 404: "noVideoFile", 410: "noVideoFile", 416: "rangeNotSatisfiable" } as const;
  const kind = kinds[status as keyof typeof kinds] ?? "upstreamsUnavailable";
  return new GatewayError(kind, "", { cause: error });
}

/** Sends a client to a file that anyone may fetch. */
const toElsewhere = (location: string): Reply => ({ status: 302, headers: { location }, body: "" });

/** The most readers of one file at a time: a player has a few, and a shared address has a few players. */
const MAX_READERS = 16;

/** Streams a completed task's file: 200, or 206 for a `Range`; 302 to the vendor's store. Throws 404, 416 and 502. */
async function readFile(
  { videos, log }: GatewayDeps,
  request: ClientRequest,
  taskId: TaskId,
): Promise<Reply> {
  const { headers: requestHeaders, signal } = request;
  const opened = videos.content(taskId, { range: requestHeaders.get("range"), signal });
  const content = await opened.catch((error: unknown) => {
    throw fileErrorOf(error);
  });
  if (!content) {
    throw new GatewayError("noVideoFile");
  }
  if (content.kind === "elsewhere") {
    return toElsewhere(content.url);
  }
  const { status, headers, body } = content;
  const type = headers["content-type"] ?? "";
  return {
    status,
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => passed.includes(name))),
      "accept-ranges": "bytes",
      // Whatever type the vendor names, the file is no page of this origin.
      "content-type": /^video\/[\w.+-]+$/.test(type) ? type : "video/mp4",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=3600",
    },
    body: pieces(body, { log, taskId, request }),
  };
}

/** As `readFile`, if there is a place for one more reader, who may take its time. Also throws 429 and 503. */
async function sendFile(
  deps: GatewayDeps,
  request: ClientRequest,
  { id, accountId }: { id: TaskId; accountId: AccountId },
): Promise<Reply> {
  const leave = await deps.fileReaders.enter({
    keyId: id,
    accountId,
    maxConcurrent: MAX_READERS,
    account: { maxConcurrent: null },
  });
  try {
    return untilTaken(await readFile(deps, request, id), leave);
  } catch (error) {
    leave();
    throw error;
  }
}

/** Whether a call for content uses a signed address instead of a key. */
export const isSignedContentCall = (request: ClientRequest) =>
  new URL(request.url).searchParams.has("signature");

/** GET /v1/videos/generations/:taskId/content with an address from the status query. */
export function signedVideoContent(deps: GatewayDeps): (call: OpenCall) => Promise<Reply> {
  return async ({ request, logFields: facts }) => {
    const taskId = taskIdOf(request);
    facts.taskId = taskId;
    if (!isSignedFor(deps, new URL(request.url).searchParams, taskId)) {
      throw new GatewayError("taskForbidden");
    }
    const task = await deps.videos.find(taskId);
    if (!task || isErased(task)) {
      throw new GatewayError("noVideoFile");
    }
    return await sendFile(deps, request, task);
  };
}

/** The same with a key of the task's account. Redirects to a file that its vendor shows to anyone. */
export function ownVideoContent(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const task = await getOwnTask(deps, call);
    return task.videoUrl === null ? await sendFile(deps, call.request, task) : toElsewhere(task.videoUrl);
  };
}
