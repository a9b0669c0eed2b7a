import { type Cancellation, throwIfCancelled } from "@/server/base/cancellation";
import type { ClientRequest } from "@/server/base/client-request";
import { asGatewayError, GatewayError, streamError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import type { Reply } from "@/server/base/reply";
import { type Dispatched, reasonOf, UpstreamFault } from "@/server/channels";
import type { Cut } from "@/server/domain/enums";
import type { AnswerStream, UpstreamPlan } from "@/server/protocol/upstream-plan";
import type { ConversationCall, PaidCall, StreamOutcome } from "../pipeline/call";
import { charge } from "../pipeline/charge";
import { dispatchCall } from "../pipeline/dispatch-call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { routingOf } from "../pipeline/plans";
import { drainForUsage } from "./drain-for-usage";
import type { EventGroups } from "./event-groups";
import { openStream } from "./open-stream";
import { frames, type OpenedStream, printRest } from "./stream-frames";
import { COUNTED_MS, LINGER_MS } from "./stream-patience";

const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * A call with units that are paid by the piece (searches) is never hedged: the upstream does them before its first
 * event.
 */
const hedgeAfterMs = ({ model, conversation }: ConversationCall): number | null =>
  conversation.units === undefined ? model.hedgeAfterMs : null;

/**
 * Begins a stream with one channel, and returns after its first event. `unwanted`: ends it before it has begun. Throws
 * as `dispatch` does.
 */
export const beginStream = (
  deps: GatewayDeps,
  relayed: ConversationCall,
  unwanted?: Cancellation,
): Promise<Dispatched<OpenedStream>> =>
  dispatchCall(deps, relayed, {
    isStream: true,
    unwanted,
    ...routingOf(relayed),
    hedgeAfterMs: hedgeAfterMs(relayed),
    accept: (reply, plan: UpstreamPlan, attempt) => openStream(deps, relayed, { reply, plan, attempt }),
  });

/** The streamed answer. Its headers wait for the upstream's first event, its last byte for the charge. */
export const relayStream = (deps: GatewayDeps, relayed: ConversationCall): Promise<Reply> =>
  beginStream(deps, relayed).then((dispatched) =>
    streamReply(deps, { ...relayed, choices: relayed.conversation.choices }, dispatched),
  );

/** A call whose answer has begun. `choices`: the number of choices to come. `thinking`: as in `ConversationCall`. */
type StreamedCall = PaidCall & { choices: number; thinking?: ConversationCall["thinking"] };

/** The reply that passes an opened stream on to the client. */
export function streamReply(
  deps: GatewayDeps,
  streamed: StreamedCall,
  opened: Dispatched<OpenedStream>,
): Reply {
  streamed.call.logFields.channelId = opened.route.channelId;
  return { status: 200, headers: { ...SSE_HEADERS }, body: clientText(deps, streamed, opened) };
}

/** The client's error for a break in the middle of a stream, which had its 200 already. */
export function nameBreak(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) {
    return thrown;
  }
  return thrown instanceof UpstreamFault && thrown.reason === "refused"
    ? new GatewayError("upstreamFailed", thrown.message, { cause: thrown })
    : new GatewayError("upstreamMalformed", reasonOf(thrown instanceof UpstreamFault ? [thrown] : []), {
        cause: thrown,
      });
}

/** The error in the client's language. */
const errorFor = ({ redact }: GatewayDeps, { headers }: ClientRequest, error: GatewayError) =>
  streamError(error, { redact, language: languageOf(headers.get("accept-language")) });

/** The outcome of an attempt at its stream's end. An end by this process or by the client is no fault. */
function endOfAttempt(isWhole: boolean, thrown: unknown): UpstreamFault | "ok" | "abandoned" {
  if (thrown instanceof UpstreamFault) {
    return thrown;
  }
  return isWhole ? "ok" : "abandoned";
}

/** Why an answer broke off. `lost`: its hold was lost before its end. */
function cutOfBreak(thrown: unknown, lost: Cancellation): Cut {
  if (lost.isCancelled) {
    return "hold_lost";
  }
  if (!(thrown instanceof GatewayError)) {
    return "upstream_failed";
  }
  const ours: Partial<Record<string, Cut>> = { clientGone: "client_gone", unavailable: "server_stopped" };
  return ours[thrown.kind] ?? "upstream_failed";
}

/** Lets an upstream that has finished close its side, so that the connection can be used again. */
export function closeGently(groups: EventGroups, abort: () => void): void {
  const until = groups.now() + LINGER_MS;
  // Events after the end are dropped.
  const drop = (): void => {
    groups.next(until - groups.now()).then((next) => (next === null || next.done ? abort() : drop()), abort);
  };
  drop();
}

/**
 * Prints the long text that a client did not wait for. Text that cannot be printed would not have reached the client
 * either.
 */
async function sayUnheard(stream: AnswerStream, unheard: (text: string) => void): Promise<void> {
  try {
    for await (const piece of printRest(stream.rest?.() ?? [])) {
      unheard(piece);
    }
  } catch {}
}

const usualWaits = { lingerMs: LINGER_MS, countedMs: COUNTED_MS };

/** Some upstreams make one choice after the other: the end of those that have begun says little about several. */
const patientWaits = (idleTimeoutMs: number) => ({ lingerMs: idleTimeoutMs, countedMs: idleTimeoutMs });

/**
 * The client's text. The call's money is settled once, however the stream ends: at the upstream's end, its break or the
 * client's hang-up, whichever comes first.
 */
async function* clientText(
  deps: GatewayDeps,
  relayed: StreamedCall,
  { accepted, route, abort, ended: attemptEnded }: Dispatched<OpenedStream>,
): AsyncGenerator<string> {
  const { stream, groups } = accepted;
  const { request, hangUp, ended, onDetachedText: unheard } = relayed.call;
  let outcome: StreamOutcome | null = null;
  let isWhole = false;
  const { lost } = relayed.hold;
  lost.add(abort);
  // Interrupts the wait for the upstream's next event as soon as the client hangs up or the process stops.
  hangUp.add(groups.interrupt);
  deps.stopping.add(groups.interrupt);

  const settle = async (how: StreamOutcome, thrown?: unknown): Promise<void> => {
    outcome = how;
    const broken = thrown === undefined ? null : nameBreak(thrown);
    if (how === "complete" && !stream.isCut) {
      closeGently(groups, abort);
    } else {
      abort();
    }
    deps.metrics.streamEnds.inc({ outcome: how });
    attemptEnded(endOfAttempt(isWhole, thrown));
    try {
      const counted = { ...stream.settled(isWhole), shares: accepted.sharesOf?.(isWhole) };
      const cut = isWhole ? null : cutOfBreak(thrown, lost);
      await charge(deps, relayed, { ...counted, channelId: route.channelId, isDelivered: true, cut });
      ended({ outcome: how, broken });
    } catch (failure) {
      ended({ outcome: how, broken: broken ?? asGatewayError(failure), err: failure });
      if (asGatewayError(failure).kind !== "billingFailed") {
        // Nothing was settled: without this the hold's lease would be renewed forever.
        deps.billing.release(relayed.hold, "internal");
      }
      throw failure;
    }
  };

  const failing = (error: GatewayError) => stream.failing(errorFor(deps, request, error));

  /** The client disconnected: settles the call, and makes the last text for a repeat or a stored response. */
  const finishUnheard = async (): Promise<void> => {
    isWhole = await drainForUsage(stream, groups, unheard);
    await settle("client_gone", new GatewayError("clientGone")).catch(() => {});
    // Also without a repeat: a response is stored when its last text is made.
    const last = isWhole ? stream.ending() : failing(new GatewayError("clientGone"));
    unheard?.(last);
    await relayed.thinking?.store();
  };

  try {
    // The hold may have been lost during the wait for the upstream.
    throwIfCancelled(lost);
    const idleTimeoutMs = route.idleTimeoutMs ?? deps.idleTimeoutMs;
    const waits = relayed.choices > 1 ? patientWaits(idleTimeoutMs) : usualWaits;
    const times = { keepAliveMs: deps.keepAliveMs, idleTimeoutMs, ...waits };
    yield* frames(accepted, times, { client: hangUp, stopping: deps.stopping });
    isWhole = true;
    await settle("complete");
    const last = stream.ending();
    const stored = relayed.thinking?.store();
    if (stored instanceof Promise) {
      await stored;
    }
    yield last;
    const rest = stream.rest?.() ?? null;
    if (rest !== null) {
      yield* printRest(rest);
    }
  } catch (thrown) {
    if (!hangUp.isCancelled) {
      const cause: unknown = lost.isCancelled ? lost.reason : thrown;
      if (outcome === null) {
        // A failure of the charge is logged; the client gets the error of the break that came first.
        await settle("broken", cause).catch(() => {});
      }
      yield failing(nameBreak(cause));
      yield* printRest(stream.rest?.() ?? []);
    }
  } finally {
    try {
      if (outcome === null) {
        await finishUnheard();
      }
      // The client may also have hung up in the middle of a long last text.
      if (unheard) {
        await sayUnheard(stream, unheard);
      }
    } finally {
      // They live longer than the stream, and would keep it in memory.
      lost.delete(abort);
      hangUp.delete(groups.interrupt);
      deps.stopping.delete(groups.interrupt);
    }
  }
}
