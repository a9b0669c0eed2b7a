/** Several streaming upstream calls, merged into the events of one stream. */

import { Arrivals } from "@/server/base/arrivals";
import { CancellationSource } from "@/server/base/cancellation";
import { GatewayError } from "@/server/base/errors";
import { type Dispatched, UpstreamFault } from "@/server/channels";
import type { EventGroup } from "@/server/protocol/answers/sse";
import type { ConversationCall } from "../pipeline/call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { isRefusal } from "../pipeline/plans";
import { type Latest, PartPatience } from "./part-patience";
import { beginStream, closeGently } from "./relay-stream";
import { concurrencyFor } from "./several-answers";
import type { OpenedStream } from "./stream-frames";

/**
 * One of the calls. `latest`: what its latest events contained; the reader of the merged stream writes it. `end`: its
 * outcome; null while it streams, or waits for its turn.
 */
export type StreamPart = {
  call: ConversationCall;
  begun: Begun | null;
  latest: Latest;
  end: PartEnd | null;
};
type Begun = Dispatched<OpenedStream> & { patience: PartPatience };
type PartEnd = { fault: unknown } | "ok";

/** An event of the merged stream: the place of a part, and what happened to that part. */
const eventOf = (place: number, what: "begun" | "over" | "said", data = "") => `${place} ${what} ${data}`;

export function readEvent(event: string): { place: number; what: string; data: string } {
  const [, place = "", what = "", data = ""] = /^(\d+) (\w+) (.*)$/s.exec(event) ?? [];
  return { place: Number(place), what, data };
}

type PartEvents = { place: number; group: EventGroup };

const NOTHING: Latest = { isWork: false, isAlive: false };

type AttemptEnd = Parameters<Dispatched<OpenedStream>["ended"]>[0];

const faultOfBreak = (fault: unknown): AttemptEnd => (fault instanceof UpstreamFault ? fault : "abandoned");

/** The calls, of which a few run at a time. */
export class SeveralParts {
  readonly parts: StreamPart[];
  readonly #deps: GatewayDeps;
  /** The parts whose attempts have a recorded outcome. */
  readonly #recorded = new Set<Dispatched<OpenedStream>>();
  /** The refusal that ends every part which has not begun: no channel can take the call. */
  #refused: { fault: unknown } | null = null;
  /** Ends the parts that are about to begin. */
  readonly #unwanted = new CancellationSource();

  constructor(deps: GatewayDeps, calls: ConversationCall[]) {
    this.#deps = deps;
    this.parts = calls.map((call) => ({ call, begun: null, latest: { ...NOTHING }, end: null }));
  }

  get begun(): Begun[] {
    return this.parts.flatMap(({ begun }) => begun ?? []);
  }

  /** The merged events. Throws the first part's error if no part begins. */
  async *events(): AsyncGenerator<EventGroup> {
    const waiting = this.parts.entries();
    const coming = new Arrivals<PartEvents>();
    const startNext = () => {
      const next = waiting.next();
      if (!next.done) {
        coming.expect(this.#begin(...next.value));
      }
    };
    const concurrency = concurrencyFor(this.parts[0]?.call.call.bytes.total() ?? 0);
    for (let started = 0; started < concurrency; started++) {
      startNext();
    }
    while (!coming.isOver) {
      const { place, group } = await coming.next();
      const { now } = this.#deps.timers;
      const offeredAt = now();
      yield group;
      for (const { patience } of this.begun) {
        patience.taken(offeredAt, now());
      }
      // The reader has handled the event by now, and `end` says whether the part continues.
      const part = this.parts[place];
      if (part?.begun && part.end === null) {
        const { isWork, isAlive } = part.latest;
        part.begun.patience.progressed({ isWork, isAlive: isAlive || group.isAlive }, now());
        part.latest = { ...NOTHING };
        coming.expect(this.#readNext(place, part.begun));
      } else {
        startNext();
      }
    }
    if (this.begun.length === 0) {
      const end = this.parts[0]?.end;
      throw typeof end === "object" && end !== null ? end.fault : new GatewayError("internal");
    }
  }

  /** Ends all parts, and keeps those that wait from beginning. */
  abort(): void {
    this.#unwanted.cancel();
    for (const { abort } of this.begun) {
      abort();
    }
  }

  /** Ends one part and records the outcome of its attempt. */
  end(place: number, end: PartEnd): void {
    const part = this.parts[place];
    if (!part || part.end !== null) {
      return;
    }
    part.end = end;
    if (part.begun === null) {
      return;
    }
    const { accepted, abort } = part.begun;
    if (end === "ok" && !accepted.stream.isCut) {
      closeGently(accepted.groups, abort);
    } else {
      abort();
    }
    this.#record(part.begun, end === "ok" ? "ok" : faultOfBreak(end.fault));
  }

  /** Records this outcome for every begun part that has none. */
  ended(end: AttemptEnd): void {
    for (const begun of this.begun) {
      this.#record(begun, end);
    }
  }

  #record(begun: Dispatched<OpenedStream>, end: AttemptEnd): void {
    if (!this.#recorded.has(begun)) {
      this.#recorded.add(begun);
      begun.ended(end);
    }
  }

  async #begin(place: number, part: StreamPart): Promise<PartEvents> {
    const over = { place, group: { events: [eventOf(place, "over")], isAlive: false } };
    if (this.#refused) {
      part.end = this.#refused;
      return over;
    }
    try {
      const begun = await beginStream(this.#deps, part.call, this.#unwanted);
      const idleMs = begun.route.idleTimeoutMs ?? this.#deps.idleTimeoutMs;
      const { stream } = begun.accepted;
      part.begun = { ...begun, patience: new PartPatience(stream, idleMs, this.#deps.timers.now()) };
      if (this.#unwanted.isCancelled) {
        this.end(place, { fault: new GatewayError("clientGone") });
      }
      return { place, group: { events: [eventOf(place, "begun")], isAlive: false } };
    } catch (fault) {
      part.end = { fault };
      this.#refused = isRefusal(fault) ? part.end : this.#refused;
      return over;
    }
  }

  async #readNext(place: number, { accepted, patience }: Begun): Promise<PartEvents> {
    const over = { place, group: { events: [eventOf(place, "over")], isAlive: false } };
    const { stream, groups } = accepted;
    try {
      const waitMs = patience.waitMs(groups.now());
      const next = waitMs > 0 ? await groups.next(waitMs) : null;
      if (next === null && !stream.isFinished && !stream.isCut) {
        throw new UpstreamFault("timeout", `no event of the answer for ${Math.round(waitMs)} ms`);
      }
      if (next === null || next.done) {
        return over;
      }
      const { events, isAlive } = next.value;
      return { place, group: { events: events.map((data) => eventOf(place, "said", data)), isAlive } };
    } catch (fault) {
      this.end(place, { fault });
      return over;
    }
  }
}
