/** How long an upstream may be silent after every choice has ended; some never close the stream. */
export const LINGER_MS = 5_000;

/**
 * The same for an upstream that has ended its answer for calls, has not sent any, and has sent its counts: its client
 * waits for the end. Other clients have it, and OpenAI sends the result of a moderation after the counts.
 */
export const COUNTED_MS = 500;

/**
 * A stream's timeouts, in ms. `lingerMs`: for more events once its answer has ended; some never close. `countedMs`: if
 * its counts have come and its client has no end.
 */
export type StreamTimes = {
  keepAliveMs: number;
  idleTimeoutMs: number;
  lingerMs: number;
  countedMs: number;
};

/**
 * How many idle timeouts an upstream may send only pings. A model with hidden thinking does so for minutes; one that
 * sends nothing else forever is dead.
 */
const PINGED_PATIENCE = 5;

/**
 * Decides how long to wait for a stream's upstream. Pure: the time of each event is given, from a monotonic clock in
 * ms.
 */
export class StreamPatience {
  readonly #times: StreamTimes;
  #workedAt: number;
  #sentAt: number;
  #pingedAt = Number.NEGATIVE_INFINITY;
  /** When the latest event of a finished answer came. An answer that continues after its end is not cut off. */
  #finishedAt: number | null = null;
  #isCounted = false;

  constructor(times: StreamTimes, now: number) {
    this.#times = times;
    this.#workedAt = now;
    this.#sentAt = now;
  }

  get isFinished(): boolean {
    return this.#finishedAt !== null;
  }

  /** The client has taken a text that was offered before. A slow client is not the upstream's silence. */
  taken(offeredAt: number, now: number): void {
    this.#sentAt = now;
    this.#workedAt += now - offeredAt;
    this.#finishedAt = this.#finishedAt && this.#finishedAt + now - offeredAt;
  }

  /**
   * Notes whether the answer so far is finished, whether its counts have followed, and whether its latest events were
   * more than a sign of life.
   */
  progressed(
    { isFinished, isCounted, isWork }: { isFinished: boolean; isCounted: boolean; isWork: boolean },
    now: number,
  ): void {
    this.#isCounted = isCounted;
    if (!isFinished) {
      this.#finishedAt = null;
    } else if (this.#finishedAt === null || isWork) {
      this.#finishedAt = now;
    }
  }

  /** When the wait for the next event ends: then the client gets a sign of life, or a finished stream its end. */
  get until(): number {
    const { keepAliveMs, lingerMs, countedMs } = this.#times;
    const moreMs = this.#isCounted ? countedMs : lingerMs;
    return this.#finishedAt === null ? this.#sentAt + keepAliveMs : this.#finishedAt + moreMs;
  }

  worked(now: number): void {
    this.#workedAt = now;
  }

  pinged(now: number): void {
    this.#pingedAt = now;
  }

  /** How long there was no event of the answer, if that is longer than the timeout; else null. */
  silentMs(now: number): number | null {
    const { idleTimeoutMs } = this.#times;
    const isPinging = now - this.#pingedAt < idleTimeoutMs;
    const silentMs = now - this.#workedAt;
    return !this.isFinished && silentMs >= idleTimeoutMs * (isPinging ? PINGED_PATIENCE : 1)
      ? silentMs
      : null;
  }
}
