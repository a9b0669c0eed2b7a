/**
 * Several upstream streams as one stream to the client, under one hold and one charge. Events go out as they arrive,
 * each in the place of its answer. The code that delivers the stream handles it as any other.
 */
import { GatewayError } from "@/server/base/errors";
import type { Reply } from "@/server/base/reply";
import { atOnce } from "@/server/base/turns";
import { UpstreamFault } from "@/server/channels";
import type { JoinedAnswers } from "@/server/protocol/answers/several";
import type { AnswerStream, CountedUsage, StreamError, StreamStep } from "@/server/protocol/upstream-plan";
import type { ConversationCall } from "../pipeline/call";
import { costReporter } from "../pipeline/charge";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { openGroups } from "./open-stream";
import { nameBreak, streamReply } from "./relay-stream";
import { addCounts, failureOf, type SeveralCalls } from "./several-answers";
import { readEvent, SeveralParts, type StreamPart } from "./several-parts";
import { endedWithout, endOf, push } from "./stream-frames";

/**
 * How many times the idle timeout of one stream the merged stream may take without content. Each part has the usual
 * timeouts, before it begins and between its events. This one bounds only parts that send nothing but signs of life.
 */
const PATIENCES = 10;

/** A part's text with the text that waits behind it. */
function* withRest(stream: AnswerStream, text: string): Generator<void, string> {
  let whole = text;
  for (const part of stream.rest?.() ?? []) {
    whole += part;
    yield;
  }
  return whole;
}

/**
 * The merged stream. `tell`: the error for the place of an answer that broke off. `priceOf`: the price of all usage.
 */
class SeveralStream implements AnswerStream {
  readonly #several: SeveralParts;
  readonly #join: JoinedAnswers;
  readonly #tell: (thrown: unknown) => StreamError;
  readonly #priceOf: (counted: CountedUsage) => number | undefined;
  /** The places of the parts whose end the client has: a part may break while the event of another one is read. */
  readonly #reported = new Set<number>();
  /** The text of the last event. */
  #last = "";

  constructor(
    several: SeveralParts,
    join: JoinedAnswers,
    {
      tell,
      priceOf,
    }: { tell: (thrown: unknown) => StreamError; priceOf: (counted: CountedUsage) => number | undefined },
  ) {
    this.#several = several;
    this.#join = join;
    this.#tell = tell;
    this.#priceOf = priceOf;
  }

  get isStarted(): boolean {
    return this.#several.begun.length > 0;
  }

  get isFinished(): boolean {
    return this.#several.parts.every(({ begun, end }) => end !== null || begun?.accepted.stream.isFinished);
  }

  get isCut(): boolean {
    const isThere = ({ begun, end }: StreamPart) =>
      end !== null || begun?.accepted.stream.isFinished || begun?.accepted.stream.isCut;
    return !this.isFinished && this.#several.parts.every(isThere);
  }

  keepAlive(): string {
    return atOnce(this.#join.piece(0, this.#several.begun[0]?.accepted.stream.keepAlive() ?? ""));
  }

  push(event: string): StreamStep {
    return atOnce(this.pushInSteps(event));
  }

  *pushInSteps(event: string): Generator<void, StreamStep> {
    const { place, what, data } = readEvent(event);
    const part = this.#several.parts[place];
    if (!part) {
      return { kind: "malformed" };
    }
    if (what === "over" || part.begun === null) {
      this.#reported.add(place);
      return this.#said(this.#over(place, part));
    }
    if (what === "begun") {
      const { stream, first } = part.begun.accepted;
      const { end } = first;
      const text = yield* this.#join.piece(place, yield* withRest(stream, first.text));
      return this.#said(text + (end === "none" ? "" : this.#ended(place, end)));
    }
    if (part.end !== null) {
      // The event came in one piece with the end of its answer.
      return { kind: "frames", text: "", isWork: false };
    }
    const { stream } = part.begun.accepted;
    const step = yield* push(stream, data);
    if (step instanceof UpstreamFault) {
      return this.#said(this.#ended(place, { fault: step }));
    }
    if (step.kind === "frames") {
      part.latest.isWork ||= step.isWork;
      part.latest.isAlive ||= step.text !== "";
      return { ...step, text: yield* this.#join.piece(place, yield* withRest(stream, step.text)) };
    }
    return this.#said(this.#ended(place, endOf(step)));
  }

  ending(): string {
    const unreported = [...this.#several.parts.entries()].filter(([place]) => !this.#reported.has(place));
    const ends = unreported.map(([place, part]) =>
      part.end === null ? this.#ended(place, "done") : this.#over(place, part),
    );
    return this.#last + ends.join("") + this.#join.end(this.#priceOf(this.settled(true)));
  }

  failing(error: StreamError): string {
    return this.#join.broken(this.#several.begun[0]?.accepted.stream.failing(error) ?? "");
  }

  settled(isComplete: boolean): CountedUsage {
    return addCounts(this.sharesOf(isComplete).map(({ channelId: _channel, ...counted }) => counted));
  }

  /** The usage of each part that has begun. */
  sharesOf(isComplete: boolean) {
    return this.#several.parts.flatMap(({ begun, end }) => {
      if (begun === null) {
        return [];
      }
      const { stream } = begun.accepted;
      const isWhole = end === "ok" || (isComplete && end === null);
      return [{ ...stream.settled(isWhole), channelId: begun.route.channelId }];
    });
  }

  /** The text, and the end of the stream once every part has ended. */
  #said(text: string): StreamStep {
    const { parts } = this.#several;
    const isOver = parts.every((_part, place) => this.#reported.has(place));
    if (!isOver || !this.isStarted) {
      return { kind: "frames", text, isWork: true };
    }
    this.#last = text;
    return parts.some(({ end }) => end === "ok") ? { kind: "done" } : { kind: "malformed" };
  }

  /** A part whose connection ended, after its answer or in the middle of it. */
  #over(place: number, { begun, end }: StreamPart): string {
    if (end !== null) {
      return this.#failure(place, end === "ok" ? null : end.fault);
    }
    const stream = begun?.accepted.stream;
    return stream?.isFinished || stream?.isCut
      ? this.#ended(place, "done")
      : this.#ended(place, { fault: endedWithout(stream ?? {}) });
  }

  #ended(place: number, end: "done" | { fault: unknown }): string {
    this.#reported.add(place);
    const stream = this.#several.parts[place]?.begun?.accepted.stream;
    if (end === "done" || stream?.isCut) {
      const last = stream ? atOnce(withRest(stream, stream.ending())) : "";
      const text = atOnce(this.#join.piece(place, last));
      this.#several.end(place, "ok");
      return text;
    }
    this.#several.end(place, end);
    return this.#failure(place, end.fault);
  }

  #failure(place: number, fault: unknown): string {
    if (fault === null) {
      return "";
    }
    const usage = this.#several.parts[place]?.begun?.accepted.stream.settled(false).usage;
    return this.#join.failure(place, { ...this.#tell(nameBreak(fault)), ...(usage && { usage }) });
  }
}

/** Relays the streamed answers. Throws the first call's error if no stream begins. */
export async function relaySeveralStreams(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { calls, join }: SeveralCalls,
): Promise<Reply> {
  const parts = new SeveralParts(deps, calls);
  const stream = new SeveralStream(parts, join, {
    tell: failureOf(deps, relayed),
    priceOf: ({ usage }) => costReporter(relayed).price?.(usage),
  });
  const opened = await openGroups(stream, parts.events(), deps.timers);
  const [first] = parts.begun;
  if (!first) {
    throw new GatewayError("internal");
  }
  return streamReply(
    deps,
    { ...relayed, choices: calls.length },
    {
      route: {
        ...first.route,
        idleTimeoutMs: PATIENCES * (first.route.idleTimeoutMs ?? deps.idleTimeoutMs),
      },
      accepted: { ...opened, sharesOf: (isWhole) => stream.sharesOf(isWhole) },
      abort: () => parts.abort(),
      ended: (end) => parts.ended(end),
    },
  );
}
