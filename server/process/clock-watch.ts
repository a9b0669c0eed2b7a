/**
 * This machine's clock beside the database's. The clock decides which month a call is charged in, so one that is wrong
 * must open none.
 */
import { ConfigError } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import { askDatabaseClock, type Database } from "@/server/db";

/** Further apart than machines are whose clocks are kept right, and nearer than any month. */
const MAX_SKEW_MS = 30_000;

const ASK_MS = 3_000;

export type ClockWatch = {
  /** By how much this machine's clock is ahead of the database's, at the least; 0 where nobody knows. */
  skewMs: () => number;
  /** Whether it may say which month it is. */
  isRight: () => boolean;
  /** Asks the database. Does not throw: what is not known anew is what was known before. */
  measure: () => Promise<void>;
};

/** What the clock is ahead of the process's own time, which nobody can set. */
const lead = () => Date.now() - performance.now();

/**
 * Asked once, it tells at any moment: between two looks time goes on by the process's own count, so that a clock which
 * is set meanwhile is noticed by the next call.
 */
export function createClockWatch(db: Database): ClockWatch {
  /** What the lead of a right clock is: an answer takes its time, so it lies between two. */
  let right: { least: number; most: number } | null = null;
  const skewMs = () => {
    const own = lead();
    return right === null ? 0 : own - Math.min(Math.max(own, right.least), right.most);
  };
  return {
    skewMs,
    isRight: () => Math.abs(skewMs()) <= MAX_SKEW_MS,
    measure: async () => {
      const askedAt = performance.now();
      const now = await withinMs(
        askDatabaseClock(db).catch(() => null),
        ASK_MS,
      );
      if (now !== null && Number.isFinite(now)) {
        right = { least: now - performance.now(), most: now - askedAt };
      }
    },
  };
}

const UNITS = [
  { name: "days", ms: 86_400_000 },
  { name: "hours", ms: 3_600_000 },
  { name: "minutes", ms: 60_000 },
];

/** How far apart, as people say it: `31 days behind`. */
export function sayClock(skewMs: number): string {
  const apart = Math.abs(skewMs);
  const unit = UNITS.find(({ ms }) => apart >= 2 * ms) ?? { name: "seconds", ms: 1_000 };
  return `${Math.round(apart / unit.ms)} ${unit.name} ${skewMs > 0 ? "ahead of" : "behind"} the database's`;
}

/** For what ends when it is done: throws ConfigError where it must not say which month it is. */
export async function refuseWrongClock(db: Database): Promise<void> {
  const clock = createClockWatch(db);
  await clock.measure();
  if (!clock.isRight()) {
    throw new ConfigError(
      `This machine's clock is ${sayClock(clock.skewMs())}, so it cannot say which month it is. Set it right (NTP), or that of the database's machine.`,
    );
  }
}
