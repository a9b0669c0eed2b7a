import type { Cancellation } from "@/server/base/cancellation";
import { GatewayError } from "@/server/base/errors";
import { atOnceIfQuick, printInTurns, restIfLong } from "@/server/base/turns";
import { UpstreamFault } from "@/server/channels";
import type { EventGroup } from "@/server/protocol/answers/sse";
import type { UpstreamWords } from "@/server/protocol/upstream-error";
import type { AnswerStream, StreamStep } from "@/server/protocol/upstream-plan";
import type { Share } from "../pipeline/channel-costs";
import type { EventGroups } from "./event-groups";
import { StreamPatience, type StreamTimes } from "./stream-patience";

/**
 * An upstream's stream that has begun well: its first event is in `first`. `sharesOf`: the usage of each call, if
 * several calls make up the stream.
 */
export type OpenedStream = {
  stream: AnswerStream;
  groups: EventGroups;
  first: EventDigest;
  sharesOf?: (isWhole: boolean) => Share[];
};

/**
 * The result of a group of events: text for the client, and an end. `none`: more is to come. `done`: the upstream said
 * that this was all. `fault`: the error that broke it off. `isWork`: it had more than signs of life.
 */
export type EventDigest = { text: string; isWork: boolean; end: "none" | "done" | { fault: unknown } };

/** Turns an error in an upstream's bytes into a fault of the upstream, and not of this program. */
export const unreadable = (error: unknown): UpstreamFault =>
  error instanceof UpstreamFault
    ? error
    : new UpstreamFault("malformed", "the answer cannot be read", { cause: error });

/** The error for an error inside a 2xx answer: the client's fault if the body says so, else the channel's. */
export function faultOf(words: UpstreamWords): GatewayError | UpstreamFault {
  return words.status !== null && [400, 413, 422].includes(words.status)
    ? new GatewayError("upstreamRejected", words.message)
    : new UpstreamFault("refused", words.message, { ...(words.status && { status: words.status }) });
}

/** Prints a stream's long text in turns. Throws UpstreamFault for an upstream's text that cannot be printed. */
export async function* printRest(rest: Iterable<string>): AsyncGenerator<string> {
  try {
    yield* printInTurns(rest);
  } catch (error) {
    throw unreadable(error);
  }
}

/** Feeds one event to the stream. Pauses within a long one. */
export function* push(stream: AnswerStream, data: string): Generator<void, StreamStep | UpstreamFault> {
  try {
    return stream.pushInSteps ? yield* stream.pushInSteps(data) : stream.push(data);
  } catch (error) {
    return unreadable(error);
  }
}

/** The end that a step without text stands for. */
export function endOf(step: Exclude<StreamStep, { kind: "frames" }>): "done" | { fault: unknown } {
  if (step.kind === "done") {
    return "done";
  }
  const fault =
    step.kind === "error"
      ? faultOf(step.words)
      : new UpstreamFault("malformed", "an event is not one of this dialect");
  return { fault };
}

/** Feeds events to the stream, up to the first end among them. Pauses within long events. */
function* feed(stream: AnswerStream, events: string[]): Generator<void, EventDigest> {
  let text = "";
  let isWork = false;
  const endWith = (end: EventDigest["end"]): EventDigest => ({ text, isWork, end });
  for (const data of events) {
    const step = yield* push(stream, data);
    if (step instanceof UpstreamFault) {
      return endWith({ fault: step });
    }
    if (step.kind !== "frames") {
      return endWith(endOf(step));
    }
    text += step.text;
    isWork ||= step.isWork;
  }
  return endWith("none");
}

/** Feeds a group of events to the stream, in turns if that takes long. */
export const digest = (stream: AnswerStream, events: string[]): EventDigest | Promise<EventDigest> =>
  atOnceIfQuick(feed(stream, events));

/**
 * How long the gateway reads on from the upstream of an answer that was cut at a stop sequence: only its end reports
 * the usage, above all that of hidden thinking. Then the upstream is ended, and the text that came through is charged.
 */
export const CUT_MS = 60_000;

/** The cancellations that end a stream before its upstream does. */
type Enders = { client: Cancellation; stopping: Cancellation };

const isUnwanted = ({ client, stopping }: Enders): boolean => client.isCancelled || stopping.isCancelled;

/** The fault of a stream that ended in the middle of its answer. */
export const endedWithout = ({ doubt }: Pick<AnswerStream, "doubt">): GatewayError | UpstreamFault =>
  doubt ? faultOf(doubt) : new UpstreamFault("broken", "the stream ended without a finish reason");

/**
 * Says what the next events of the upstream mean. Returns null if they came too late. Throws if the upstream broke off,
 * the client has gone or the process stops.
 */
function heardOf(
  next: IteratorResult<EventGroup> | null,
  {
    stream,
    patience,
    enders,
    now,
  }: { stream: AnswerStream; patience: StreamPatience; enders: Enders; now: number },
): EventGroup | "silence" | "over" {
  if (next === null && enders.client.isCancelled) {
    throw new GatewayError("clientGone");
  }
  if (next === null && enders.stopping.isCancelled && !patience.isFinished) {
    throw new GatewayError("unavailable");
  }
  if (patience.isFinished && (next === null || next.done || now >= patience.until)) {
    return "over";
  }
  if (next?.done) {
    throw endedWithout(stream);
  }
  return next === null ? "silence" : next.value;
}

/**
 * Yields the client's text as the upstream delivers it, and signs of life in its silences. Throws if the upstream
 * breaks off or this process stops. The upstream's pings and comments are a sign of work for a while; after its end
 * they prolong nothing.
 */
export async function* frames(
  { stream, groups, first }: OpenedStream,
  times: StreamTimes,
  enders: Enders,
): AsyncGenerator<string> {
  const patience = new StreamPatience(times, groups.now());
  let cutAt: number | null = null;
  for (let group = first; ; ) {
    const rest = stream.rest?.() ?? null;
    if (group.text !== "" || rest !== null) {
      const offeredAt = groups.now();
      yield group.text;
      if (rest !== null) {
        yield* printRest(rest);
      }
      patience.taken(offeredAt, groups.now());
    }
    cutAt ??= stream.isCut ? groups.now() : null;
    // The client has its whole answer, whatever the upstream does now.
    const isEnough = stream.isCut && (group.end !== "none" || groups.now() - (cutAt ?? 0) > CUT_MS);
    if (group.end === "done" || isEnough) {
      return;
    }
    if (group.end !== "none") {
      throw group.end.fault;
    }
    const { isFinished, isCounted = false } = stream;
    patience.progressed({ isFinished, isCounted, isWork: group.isWork }, groups.now());
    let heard: EventGroup | "silence" | "over" = "over";
    try {
      const next = isUnwanted(enders) ? null : await groups.next(patience.until - groups.now());
      heard = heardOf(next, { stream, patience, enders, now: groups.now() });
    } catch (error) {
      if (!(stream.isCut && error instanceof UpstreamFault)) {
        throw error;
      }
    }
    if (heard === "over") {
      return;
    }
    const now = groups.now();
    const since = performance.now();
    const digested: EventDigest | Promise<EventDigest> =
      heard === "silence"
        ? { text: stream.keepAlive(), isWork: false, end: "none" }
        : digest(stream, heard.events);
    group = digested instanceof Promise ? await digested : digested;
    const rested = restIfLong(since);
    if (rested !== null) {
      // Otherwise groups that have already arrived would be read in the same turn.
      await rested;
    }
    if (group.isWork) {
      patience.worked(now);
      continue;
    }
    if (heard !== "silence" && (group.text !== "" || heard.isAlive)) {
      patience.pinged(now);
    }
    const silentMs = patience.silentMs(now);
    if (silentMs !== null && group.end === "none" && !stream.isCut) {
      throw new UpstreamFault("timeout", `no event of the answer for ${Math.round(silentMs)} ms`);
    }
  }
}
