/**
 * Rules for the fault of an attempt: the part that it counts against, and whether the same call may be sent again.
 * Pure; docs/channels.md has the table.
 */
import { GatewayError } from "@/server/base/errors";
import type { UpstreamReason } from "@/server/base/upstream-reasons";
import type { UpstreamFault } from "@/server/upstream";

/**
 * `channel`: no request can cause it, so it counts against the channel. `doubtful`: one account's requests may cause
 * it, so it counts once per account, and against that account's own calls. `credential`: the credential rests.
 * `doubtfulCredential`: the credential rests for that account alone, until several accounts have met the fault.
 * `none`: the client caused it, or we did.
 */
export type Blame = "channel" | "doubtful" | "credential" | "doubtfulCredential" | "none";

/** No request can cause this status. */
const CREDENTIAL_STATUS = 401;
/**
 * A request may cause these: one that costs more than the rest of a balance (402), one that a moderation refuses (403),
 * one that alone exceeds the limit of tokens a minute (429).
 */
const DOUBTFUL_CREDENTIAL_STATUSES = [402, 403, 429];
/**
 * An exception in the server (500), or a proxy that timed out on a model that still works (504, 524): a request may be
 * the cause.
 */
const DOUBTFUL_STATUSES = [500, 504, 524];
/** The server lacks the requested feature. That says nothing about other requests. */
const UNSUPPORTED_STATUSES = [501, 505, 510];

function blameOfStatus(status: number): Blame {
  if (status === CREDENTIAL_STATUS) {
    return "credential";
  }
  if (DOUBTFUL_CREDENTIAL_STATUSES.includes(status)) {
    return "doubtfulCredential";
  }
  if ((status >= 400 && status < 500) || UNSUPPORTED_STATUSES.includes(status)) {
    return "none";
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
      return "none";
    default:
      return "doubtful";
  }
}

/** Whether another credential of the same channel may be tried. */
export const isOfCredential = (fault: Pick<UpstreamFault, "reason" | "status">): boolean =>
  ["credential", "doubtfulCredential"].includes(blameOf(fault));

/** 504 and 524 are missing: a proxy timed out while the model may have done the work. */
const REPEATABLE_STATUSES = [408, 425, 429, 500, 502, 503, 520, 521, 522, 523, 529];

/** Whether the upstream did no paid work and the same call may succeed a moment later. */
export const mayRepeat = ({ reason, status }: Pick<UpstreamFault, "reason" | "status">): boolean =>
  reason === "unreachable" ||
  reason === "cut" ||
  (reason === "refused" && (status === null || REPEATABLE_STATUSES.includes(status)));

/** The upstream received nothing, or only part of the call. */
const UNBOUGHT: UpstreamFault["reason"][] = ["unreachable", "busy", "cut"];

/** Whether the upstream may have done the work, which the operator pays for. */
const mayBeBought = ({ reason, status }: UpstreamFault): boolean =>
  reason === "refused" ? status === 504 || status === 524 : !UNBOUGHT.includes(reason);

/** The longest wait here before a call is sent again. A client that has to wait longer gets a Retry-After header. */
const MAX_WAIT_MS = 3_000;
const FIRST_WAIT_MS = 250;
const MAX_RETRY_AFTER_SECONDS = 60;

/** The shortest wait that an upstream asked for. null: none asked. */
function saidWaitMs(faults: readonly UpstreamFault[]): number | null {
  const waits = faults.filter(mayRepeat).flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return waits.length > 0 ? Math.min(...waits) : null;
}

/** The wait before the call is sent again after a round of faults; the first round is 0. null: do not send it again. */
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

/** Why no upstream gave a complete answer, if all faults are of one kind. */
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
 * The error for a call that no channel took. It tells the client's SDK not to repeat a call that would be paid twice or
 * cannot succeed, and otherwise when to repeat it. `opensInMs`: when a skipped channel is tried again; null: no channel
 * is skipped.
 */
export function errorOfFaults(faults: readonly UpstreamFault[], opensInMs: number | null): GatewayError {
  const isRepeatable = faults.some((fault) => mayRepeat(fault) || fault.reason === "busy");
  const canHelp = (isRepeatable || opensInMs !== null) && !faults.some(mayBeBought);
  const waitMs = (isRepeatable ? saidWaitMs(faults) : opensInMs) ?? 0;
  const seconds = Math.min(Math.max(1, Math.ceil(waitMs / 1000)), MAX_RETRY_AFTER_SECONDS);
  return new GatewayError(kindOf(faults), reasonOf(faults), {
    cause: faults.at(-1),
    headers: canHelp ? { "retry-after": String(seconds) } : { "x-should-retry": "false" },
  });
}
