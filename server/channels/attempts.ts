/** What became of each attempt of a call: for its line in the log, its trace, its metrics and its record. */
import type { VendorApi } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";
import { withoutSecrets } from "@/server/base/redactor";
import { type Operation, UpstreamFault } from "@/server/upstream";

/**
 * `rejected`: the upstream says that the call itself is wrong, and its client was told so. `abandoned`: nobody waited
 * for it any more. The others are what a fault is called.
 */
type AttemptOutcome = "ok" | "rejected" | "abandoned" | UpstreamFault["reason"];

/** One request to one upstream. Times in milliseconds; null: it did not come to that. */
export type Attempt = {
  channelId: ChannelId;
  /** Of the channel's row. */
  channelVersion: string;
  /** The channel's name. */
  channel: string;
  /** What it speaks. */
  api: VendorApi;
  operation: Operation;
  /** The last characters of the credential, as people see it; empty where they would say too much of it. */
  credential: string;
  modelId: string;
  upstreamModel: string;
  /** What the upstream calls the model that answered. */
  answeringModel: string | null;
  /** It said a count that is not understood. */
  hasUnreadCounts?: true;
  /** Since the epoch. */
  beganAt: number;
  /** HTTP status of the answer. */
  status: number | null;
  /** Until the answer's head. */
  headMs: number | null;
  /** Until a stream's first event. */
  firstMs: number | null;
  elapsedMs: number;
  outcome: AttemptOutcome;
  /** The upstream's, or ours, of what went wrong; without the credential. For operators: they may quote the request. */
  words: string | null;
};

const MAX_CHARACTERS = 500;

/** The record of an attempt that begins now. */
export const beginAttempt = (
  of: Pick<
    Attempt,
    | "channelId"
    | "channelVersion"
    | "channel"
    | "api"
    | "operation"
    | "credential"
    | "modelId"
    | "upstreamModel"
  >,
): Attempt => ({
  ...of,
  answeringModel: null,
  beganAt: performance.timeOrigin + performance.now(),
  status: null,
  headMs: null,
  firstMs: null,
  elapsedMs: 0,
  outcome: "ok",
  words: null,
});

/** Other text than a name may be anything that was said. */
const MODEL_NAME = /^[\w.:/@+-]{1,200}$/;

/** Notes what an upstream calls the model that answers, if that is a name. */
export function noteModel(attempt: Attempt, name: unknown): void {
  if (typeof name === "string" && MODEL_NAME.test(name)) {
    attempt.answeringModel = name;
  }
}

/** How long it has been under way. */
export const sinceBegan = ({ beganAt }: Attempt): number =>
  Math.round(performance.timeOrigin + performance.now() - beganAt);

/** How an attempt ends: well, by a fault, or without anybody's. */
export type AttemptEnd = UpstreamFault | "ok" | "rejected" | "abandoned";

/** Notes the end of an attempt. */
export function endAttempt(attempt: Attempt, end: AttemptEnd, secret: string): void {
  attempt.elapsedMs = sinceBegan(attempt);
  attempt.outcome = end instanceof UpstreamFault ? end.reason : end;
  if (end instanceof UpstreamFault) {
    attempt.status ??= end.status;
    attempt.words = withoutSecrets(end.message, [secret]).slice(0, MAX_CHARACTERS);
  }
}
