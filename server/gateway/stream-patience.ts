/** How long an upstream may say nothing more after every choice has ended; some never close. */
export const LINGER_MS = 5_000;

/** What a stream is given time for, in ms. `lingerMs`: to say more once its answer has ended; some never close. */
export type StreamTimes = { keepAliveMs: number; idleTimeoutMs: number; lingerMs: number };

/**
 * A model whose thinking is not shown says nothing but pings for minutes; one that says nothing else for ever is dead.
 */
const PINGED_PATIENCE = 5;

/** How long a stream's upstream is waited for. Pure: the time of each event is given, from a monotonic clock in ms. */
export class StreamPatience {
  readonly #times: StreamTimes;
  #workedAt: number;
  #sentAt: number;
  #pingedAt = Number.NEGATIVE_INFINITY;
  /** When the last of the answer came, once its end has been named. One that goes on after that is not cut off. */
  #finishedAt: number | null = null;

  constructor(times: StreamTimes, now: number) {
    this.#times = times;
    this.#workedAt = now;
    this.#sentAt = now;
  }

  get isFinished(): boolean {
    return this.#finishedAt !== null;
  }

  /** The client has taken a text that was offered before: its taking its time is not the upstream's silence. */
  taken(offeredAt: number, now: number): void {
    this.#sentAt = now;
    this.#workedAt += now - offeredAt;
    this.#finishedAt = this.#finishedAt && this.#finishedAt + now - offeredAt;
  }

  /** Whether the answer is finished as far as it has come, and whether the last of it was more than a sign of life. */
  progressed({ isFinished, isWork }: { isFinished: boolean; isWork: boolean }, now: number): void {
    if (!isFinished) {
      this.#finishedAt = null;
    } else if (this.#finishedAt === null || isWork) {
      this.#finishedAt = now;
    }
  }

  /** Until when the next word is waited for: then the client gets a sign of life, or a finished stream its end. */
  get until(): number {
    const { keepAliveMs, lingerMs } = this.#times;
    return this.#finishedAt === null ? this.#sentAt + keepAliveMs : this.#finishedAt + lingerMs;
  }

  worked(now: number): void {
    this.#workedAt = now;
  }

  pinged(now: number): void {
    this.#pingedAt = now;
  }

  /** Since when there was no event of the answer, where that is longer than anybody waits; else null. */
  silentMs(now: number): number | null {
    const { idleTimeoutMs } = this.#times;
    const isPinging = now - this.#pingedAt < idleTimeoutMs;
    const silentMs = now - this.#workedAt;
    return !this.isFinished && silentMs >= idleTimeoutMs * (isPinging ? PINGED_PATIENCE : 1)
      ? silentMs
      : null;
  }
}
