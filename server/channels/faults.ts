/**
 * What a fault of an attempt says, of whom, and whether the same call may be sent again. Pure; docs/channels.md has it
 * as a table.
 */
import { GatewayError } from "@/server/base/errors";
import type { UpstreamReason } from "@/server/base/upstream-reasons";
import type { UpstreamFault } from "@/server/upstream";

/**
 * `channel`: nothing in a request brings it about, so it counts. `doubtful`: one account's requests may, so it counts
 * once an account, and against that account's own calls. `credential`: that one rests. `doubtfulCredential`: it rests
 * toward the account alone until several have met it. `nobody`: a client's doing or ours.
 */
export type Blame = "channel" | "doubtful" | "credential" | "doubtfulCredential" | "nobody";

/** No request brings it about. */
const CREDENTIAL_STATUS = 401;
/**
 * A request may: one that is dearer than what is left of a balance (402), one that a moderation refuses (403), one
 * that alone is above the limit of tokens a minute (429).
 */
const DOUBTFUL_CREDENTIAL_STATUSES = [402, 403, 429];
/** The server's own exception, and a proxy's lost patience with a model that works on: a request may be the cause. */
const DOUBTFUL_STATUSES = [500, 504, 524];
/** A server that has no such thing, whatever is asked of it the next time. */
const UNSUPPORTED_STATUSES = [501, 505, 510];

function blameOfStatus(status: number): Blame {
  if (status === CREDENTIAL_STATUS) {
    return "credential";
  }
  if (DOUBTFUL_CREDENTIAL_STATUSES.includes(status)) {
    return "doubtfulCredential";
  }
  if ((status >= 400 && status < 500) || UNSUPPORTED_STATUSES.includes(status)) {
    return "nobody";
  }
  return DOUBTFUL_STATUSES.includes(status) ? "doubtful" : "channel";
}

export type FaultReason = UpstreamFault["reason"];

export function blameOf({ reason, status }: { reason: FaultReason; status: number | null }): Blame {
  switch (reason) {
    case "unreachable":
      return "channel";
    case "refused":
      return status === null ? "doubtful" : blameOfStatus(status);
    case "unusable":
    case "busy":
    case "ours":
      return "nobody";
    default:
      return "doubtful";
  }
}

/** Another credential of the same channel may be taken. */
export const isOfCredential = (fault: Pick<UpstreamFault, "reason" | "status">): boolean =>
  ["credential", "doubtfulCredential"].includes(blameOf(fault));

/** 504 and 524 are missing: something in between lost patience while the model may have worked on. */
const REPEATABLE_STATUSES = [408, 425, 429, 500, 502, 503, 520, 521, 522, 523, 529];

/** Nothing has been bought, and the same call may go well a moment later. */
export const mayRepeat = ({ reason, status }: Pick<UpstreamFault, "reason" | "status">): boolean =>
  reason === "unreachable" ||
  reason === "cut" ||
  (reason === "refused" && (status === null || REPEATABLE_STATUSES.includes(status)));

/** Nothing, or not all of the call, has come to the upstream. */
const UNBOUGHT: UpstreamFault["reason"][] = ["unreachable", "busy", "cut"];

/** The upstream may have done its work, which its operator pays for. */
const mayBeBought = ({ reason, status }: UpstreamFault): boolean =>
  reason === "refused" ? status === 504 || status === 524 : !UNBOUGHT.includes(reason);

/** The longest that a call waits here before it is sent once more; who is to wait longer is told so. */
const MAX_WAIT_MS = 3_000;
const FIRST_WAIT_MS = 250;
const MAX_RETRY_AFTER_SECONDS = 60;

/** The shortest wait that an upstream asked for. null: none did. */
function saidWaitMs(faults: readonly UpstreamFault[]): number | null {
  const waits = faults.filter(mayRepeat).flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return waits.length > 0 ? Math.min(...waits) : null;
}

/** When to send the call again after a round of faults, the first being round 0. null: not from here. */
export function repeatAfterMs(faults: readonly UpstreamFault[], round: number): number | null {
  if (!faults.some(mayRepeat) || faults.some(mayBeBought)) {
    return null;
  }
  const waitMs = Math.max(saidWaitMs(faults) ?? 0, FIRST_WAIT_MS * 2 ** round);
  return waitMs <= MAX_WAIT_MS ? waitMs : null;
}

function kindOf(
  faults: readonly UpstreamFault[],
): "internal" | "upstreamMalformed" | "upstreamBusy" | "upstreamsUnavailable" {
  const all = (...reasons: UpstreamFault["reason"][]) =>
    faults.length > 0 && faults.every(({ reason }) => reasons.includes(reason));
  if (all("ours")) {
    return "internal";
  }
  if (all("busy")) {
    return "upstreamBusy";
  }
  return all("malformed", "unusable") ? "upstreamMalformed" : "upstreamsUnavailable";
}

const BROKEN: FaultReason[] = ["unreachable", "cut", "broken"];

/** Why no upstream has answered to the end, where all faults are of one kind. */
export function reasonOf(faults: readonly Pick<UpstreamFault, "reason" | "status">[]): UpstreamReason {
  const all = (isOne: (fault: Pick<UpstreamFault, "reason" | "status">) => boolean) =>
    faults.length > 0 && faults.every(isOne);
  if (all(({ status }) => status === 429)) {
    return "limited";
  }
  if (all(({ reason }) => reason === "timeout")) {
    return "silent";
  }
  return all(({ reason }) => BROKEN.includes(reason)) ? "broken" : "";
}

/**
 * A call that no channel took. The client's SDK is told not to repeat what would be bought twice or cannot help, and
 * else when it may. `opensInMs`: when a channel that is left alone is tried again; null: none is.
 */
export function refusalOf(faults: readonly UpstreamFault[], opensInMs: number | null): GatewayError {
  const isRepeatable = faults.some((fault) => mayRepeat(fault) || fault.reason === "busy");
  const canHelp = (isRepeatable || opensInMs !== null) && !faults.some(mayBeBought);
  const waitMs = (isRepeatable ? saidWaitMs(faults) : opensInMs) ?? 0;
  const seconds = Math.min(Math.max(1, Math.ceil(waitMs / 1000)), MAX_RETRY_AFTER_SECONDS);
  return new GatewayError(kindOf(faults), reasonOf(faults), {
    cause: faults.at(-1),
    headers: canHelp ? { "retry-after": String(seconds) } : { "x-should-retry": "false" },
  });
}
