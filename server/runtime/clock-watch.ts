/**
 * Compares this machine's clock with the database's. The clock decides the month of a charge, so a machine with a wrong
 * clock must not open a month.
 */
import { ConfigError } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import { askDatabaseClock, type Database } from "@/server/db";

/** More than the difference of synchronised clocks, and less than any month. */
const MAX_SKEW_MS = 30_000;

const ASK_MS = 3_000;

export type ClockWatch = {
  /** By how much this machine's clock is ahead of the database's, at least; 0 if unknown. */
  skewMs: () => number;
  /** Whether this clock may decide the month. */
  isRight: () => boolean;
  /** Asks the database. Does not throw: if it fails, the former result stays. */
  measure: () => Promise<void>;
};

/** How far the clock is ahead of the process's own time, which cannot be set. */
const lead = () => Date.now() - performance.now();

/**
 * A watch that measures once and can then answer at any moment: between measurements it relies on the process's own
 * time, so that the next call notices a clock that was set meanwhile.
 */
export function createClockWatch(db: Database): ClockWatch {
  /** The lead of a right clock: the database's answer takes time, so the lead is between these two. */
  let right: { min: number; max: number } | null = null;
  const skewMs = () => {
    const own = lead();
    return right === null ? 0 : own - Math.min(Math.max(own, right.min), right.max);
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
        right = { min: now - performance.now(), max: now - askedAt };
      }
    },
  };
}

const UNITS = [
  { name: "days", ms: 86_400_000 },
  { name: "hours", ms: 3_600_000 },
  { name: "minutes", ms: 60_000 },
];

/** The difference in words: `31 days behind`. */
export function sayClock(skewMs: number): string {
  const apart = Math.abs(skewMs);
  const unit = UNITS.find(({ ms }) => apart >= 2 * ms) ?? { name: "seconds", ms: 1_000 };
  return `${Math.round(apart / unit.ms)} ${unit.name} ${skewMs > 0 ? "ahead of" : "behind"} the database's`;
}

/** For programs that end by themselves: throws ConfigError if this clock must not decide the month. */
export async function refuseWrongClock(db: Database): Promise<void> {
  const clock = createClockWatch(db);
  await clock.measure();
  if (!clock.isRight()) {
    throw new ConfigError(
      `This machine's clock is ${sayClock(clock.skewMs())}, so the month is uncertain. Correct it (NTP), or the clock of the database's machine.`,
    );
  }
}
