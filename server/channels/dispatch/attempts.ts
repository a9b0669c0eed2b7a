/** The result of each attempt of a call, for the log line, the trace, the metrics and the call's record. */

import { withoutSecrets } from "@/server/base/redactor";
import type { VendorError } from "@/server/base/vendor-error";
import type { VendorApi } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { type Operation, UpstreamFault } from "@/server/upstream";

/**
 * `rejected`: the upstream says that the call itself is wrong, and the client received that error. `abandoned`: the
 * client had left, or another attempt answered first. The others are names of faults.
 */
type AttemptOutcome = "ok" | "rejected" | "abandoned" | UpstreamFault["reason"];

/** One request to one upstream. Times in milliseconds; null: the attempt did not get that far. */
export type Attempt = {
  channelId: ChannelId;
  /** The version of the channel's row. */
  channelVersion: string;
  /** The channel's name. */
  channel: string;
  /** The API that the channel speaks. */
  api: VendorApi;
  operation: Operation;
  /** The last characters of the credential, as users see it; empty if they would reveal too much of it. */
  credential: string;
  modelId: string;
  upstreamModel: string;
  /** The upstream's name for the model that answered. */
  answeringModel: string | null;
  /** The answer contains a token count that we cannot read. */
  hasUnreadCounts?: true;
  /** In milliseconds since the epoch. */
  beganAt: number;
  /** HTTP status of the answer. */
  status: number | null;
  /** Time to the answer's head. */
  headMs: number | null;
  /** Time to a stream's first event. */
  firstMs: number | null;
  elapsedMs: number;
  outcome: AttemptOutcome;
  /**
   * The error text, from the upstream or from us, without the credential. For operators only: it may quote the request.
   */
  words: string | null;
  /** The names that the upstream gave its error. */
  vendorError: VendorError | null;
};

const MAX_CHARACTERS = 500;

/** Returns the record of an attempt that begins now. */
export const beginAttempt = (
  target: Pick<
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
  ...target,
  answeringModel: null,
  beganAt: performance.timeOrigin + performance.now(),
  status: null,
  headMs: null,
  firstMs: null,
  elapsedMs: 0,
  outcome: "ok",
  words: null,
  vendorError: null,
});

/** Text that is not a name could contain anything, so it is not recorded. */
const MODEL_NAME = /^[\w.:/@+-]{1,200}$/;

/** Records the upstream's name for the answering model, if it is a valid name. */
export function noteModel(attempt: Attempt, name: unknown): void {
  if (typeof name === "string" && MODEL_NAME.test(name)) {
    attempt.answeringModel = name;
  }
}

/** How long the attempt has been under way, in milliseconds. */
export const sinceBegan = ({ beganAt }: Attempt): number =>
  Math.round(performance.timeOrigin + performance.now() - beganAt);

/** How an attempt ends: successfully, with a fault, or with no fault of the upstream. */
export type AttemptEnd = UpstreamFault | "ok" | "rejected" | "abandoned";

/** Records the end of an attempt. */
export function endAttempt(attempt: Attempt, end: AttemptEnd, secret: string): void {
  attempt.elapsedMs = sinceBegan(attempt);
  attempt.outcome = end instanceof UpstreamFault ? end.reason : end;
  if (end instanceof UpstreamFault) {
    attempt.status ??= end.status;
    attempt.words = withoutSecrets(end.message, [secret]).slice(0, MAX_CHARACTERS);
  }
}
