import { UpstreamFault } from "@/server/channels";
import type { AnswerStream } from "@/server/protocol/upstream-plan";
import { CUT_MS } from "./stream-frames";
import { COUNTED_MS, LINGER_MS, StreamPatience } from "./stream-patience";

/**
 * Whether a stream's latest events contained a part of the answer (`isWork`), or at least a sign of life (`isAlive`).
 */
export type Latest = { isWork: boolean; isAlive: boolean };

/** Decides how long to wait for one of several streams: as long as for a single one. Pure, as `StreamPatience` is. */
export class PartPatience {
  readonly #stream: AnswerStream;
  readonly #patience: StreamPatience;
  /** When the client had its whole answer, although the upstream continues. */
  #cutAt: number | null = null;

  constructor(stream: AnswerStream, idleTimeoutMs: number, now: number) {
    this.#stream = stream;
    this.#patience = new StreamPatience(
      { keepAliveMs: idleTimeoutMs, idleTimeoutMs, lingerMs: LINGER_MS, countedMs: COUNTED_MS },
      now,
    );
  }

  /** The client has taken text that was offered before, of any of the streams. */
  taken(offeredAt: number, now: number): void {
    this.#patience.taken(offeredAt, now);
  }

  /** The stream's latest events have been read. */
  progressed({ isWork, isAlive }: Latest, now: number): void {
    if (isWork) {
      this.#patience.worked(now);
    } else if (isAlive) {
      this.#patience.pinged(now);
    }
    const { isFinished, isCounted = false } = this.#stream;
    this.#patience.progressed({ isFinished, isCounted, isWork }, now);
    this.#cutAt ??= this.#stream.isCut ? now : null;
  }

  /** How long to wait for the next events; 0: the time is up. Throws UpstreamFault `timeout`. */
  waitMs(now: number): number {
    const silentMs = this.#stream.isCut ? null : this.#patience.silentMs(now);
    if (silentMs !== null) {
      throw new UpstreamFault("timeout", `no event of the answer for ${Math.round(silentMs)} ms`);
    }
    const cutUntil = this.#cutAt === null ? Number.POSITIVE_INFINITY : this.#cutAt + CUT_MS;
    return Math.max(0, Math.min(this.#patience.until, cutUntil) - now);
  }
}
