/** Classifies a vendor's answer, or its absence, before its content is read. No function here throws. */
import type { Dispatcher } from "undici";
import { UpstreamFault } from "../adapter";
import { type Sending, sendForText, type TextAnswer } from "../http";
import { blameOf, readError } from "./failure";
import { isTaskRef } from "./task-ref";
import type { Polled, Submitted, VideoTarget } from "./video-upstream";

/** No answer about one task is larger. */
const MAX_BYTES = 1024 * 1024;

export type VendorAnswer =
  | ({ kind: "answered" } & TextAnswer)
  /** Nothing was sent. */
  | { kind: "unsent"; message: string }
  /** It was sent; whether it arrived is unknown. */
  | { kind: "silent"; message: string };

type VendorRequest = Omit<Sending, "signal" | "headers" | "body"> & {
  headers?: Record<string, string>;
  json?: unknown;
};

export type Ask = (target: VideoTarget, question: VendorRequest) => Promise<VendorAnswer>;

/** Sends requests with the channel's key as a bearer token. */
export function createAsk(dispatcher: Dispatcher): Ask {
  return async ({ secret, signal }, { json, headers, ...question }) => {
    const all = {
      authorization: `Bearer ${secret}`,
      accept: "application/json",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    try {
      const sending = { ...question, ...body, headers: all, signal };
      return { kind: "answered", ...(await sendForText(dispatcher, sending, MAX_BYTES)) };
    } catch (error) {
      const isUnsent = error instanceof UpstreamFault && error.reason === "unreachable";
      return { kind: isUnsent ? "unsent" : "silent", message: String(error) };
    }
  };
}

const isSuccess = (status: number) => status >= 200 && status < 300;

/**
 * Whether the client is at fault: 400, 409, 413, 415, 422 and the like. The others concern the key, the address or the
 * load.
 */
const isAboutRequest = (status: number) =>
  status >= 400 && status < 500 && ![401, 402, 403, 404, 405, 408, 425, 429].includes(status);

/**
 * Whether the vendor may have taken the task despite this status. 501, 503 and 529 mean that no work has begun. 500 is
 * the vendor's own refusal if it has the vendor's error code, unless the code names a time-out inside: then it waited
 * for something that may have happened. 502, 504 and any other 5xx come from a server in between, which lost the
 * answer.
 */
function isAmbiguous(status: number, code: string | null): boolean {
  if (status < 500 || [501, 503, 529].includes(status)) {
    return false;
  }
  return status !== 500 || code === null || /time_?out/i.test(code);
}

function refused({ status, text }: TextAnswer): Submitted {
  const { code, message } = readError(text);
  if (isAmbiguous(status, code)) {
    return { kind: "unknown", message: `status ${status}: ${message}` };
  }
  const blame = blameOf(code);
  if (blame === "content_policy" && status < 500) {
    return { kind: "refused", fault: "request", code: "content_policy", message };
  }
  // Vendors also send 400 for an empty account or a wrong key (DashScope: Arrearage).
  if (isAboutRequest(status) && blame !== "account" && blame !== "upstream_capacity") {
    return { kind: "refused", fault: "request", code: "invalid_request", message };
  }
  const isFull = [429, 503, 529].includes(status) || blame === "upstream_capacity";
  return {
    kind: "refused",
    fault: "channel",
    code: isFull ? "upstream_capacity" : "upstream_error",
    message: `status ${status}: ${message}`,
  };
}

/** No JSON starts like this: web pages with any prefix, and routers' texts for unknown addresses. */
const FOREIGN = /^\s*(?:<|[^{["]{0,100}\b(?:404|not found|cannot post)\b)/i;

/** Whether the text comes from another server at the channel's address: then no vendor's API has seen the order. */
const isForeign = (text: string | null) => FOREIGN.test((text ?? "").trimStart().slice(0, 1_000));

/**
 * The result of a submission. `readRef` finds the task in a good answer's body; without a usable reference the task may
 * still exist.
 */
export function readSubmitted(
  answer: VendorAnswer,
  readRef: (text: string | null) => string | null,
): Submitted {
  switch (answer.kind) {
    case "unsent":
      return { kind: "refused", fault: "channel", code: "upstream_error", message: answer.message };
    case "silent":
      return { kind: "unknown", message: answer.message };
    case "answered": {
      if (!isSuccess(answer.status)) {
        return refused(answer);
      }
      const ref = readRef(answer.text);
      if (isForeign(answer.text)) {
        const message = `status ${answer.status} with a page that is no API's`;
        return { kind: "refused", fault: "channel", code: "upstream_malformed", message };
      }
      return ref !== null && isTaskRef(ref)
        ? { kind: "accepted", ref }
        : {
            kind: "unknown",
            message: `status ${answer.status} without a task: ${answer.text?.slice(0, 200)}`,
          };
    }
  }
}

/** The state of a task, from a poll's answer. `read`: returns null if the body is not about that task. */
export function readPolled(answer: VendorAnswer, read: (text: string | null) => Polled | null): Polled {
  if (answer.kind !== "answered") {
    return { kind: "transient", message: answer.message, retryAfterMs: null };
  }
  const { status, text, retryAfterMs } = answer;
  if (status === 404) {
    return { kind: "lost" };
  }
  const polled = isSuccess(status) ? read(text) : null;
  return (
    polled ?? { kind: "transient", message: `status ${status}: ${readError(text).message}`, retryAfterMs }
  );
}

/** The result for vendors that cancel only queued tasks: success means cancelled, a refusal means too late. */
export function readCancelled(answer: VendorAnswer): "cancelled" | "too_late" | "unknown" {
  if (answer.kind !== "answered") {
    return "unknown";
  }
  if (isSuccess(answer.status)) {
    return "cancelled";
  }
  return [400, 409, 422].includes(answer.status) ? "too_late" : "unknown";
}
