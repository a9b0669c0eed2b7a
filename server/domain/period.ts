/** Returns a function that gives the billing month (`YYYY-MM`) of a moment in one time zone. */
export function createCalendar(timeZone: string): (moment: Date) => string {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit" });
  let minute = Number.NaN;
  let period = "";
  return (moment) => {
    // Every zone's month starts on a whole minute, and formatting costs more than the rest of a hold.
    const now = Math.floor(moment.getTime() / 60_000);
    if (now !== minute) {
      const parts = Object.fromEntries(format.formatToParts(moment).map((part) => [part.type, part.value]));
      minute = now;
      period = `${parts.year}-${parts.month}`;
    }
    return period;
  };
}

/** The billing month of one moment, for single requests. */
export const currentPeriod = (timeZone: string, moment: Date): string => createCalendar(timeZone)(moment);

const MINUTE_MS = 60_000;
/** No zone is farther from UTC. */
const FARTHEST_MINUTES = 24 * 60;

/** The first minute of a period: zones' months start on whole minutes and follow each other. */
function startOf(period: string, timeZone: string): Date {
  const [year, month] = period.split("-").map(Number);
  const middle = Date.UTC(year ?? 0, (month ?? 1) - 1, 1) / MINUTE_MS;
  const periodOf = createCalendar(timeZone);
  let [before, within] = [middle - FARTHEST_MINUTES, middle + FARTHEST_MINUTES];
  while (within - before > 1) {
    const between = Math.floor((before + within) / 2);
    if (periodOf(new Date(between * MINUTE_MS)) < period) {
      before = between;
    } else {
      within = between;
    }
  }
  return new Date(within * MINUTE_MS);
}

/** The period after this one: `2026-12` -> `2027-01`. */
export function periodAfter(period: string): string {
  const [year, month] = period.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, month ?? 1, 1)).toISOString().slice(0, 7);
}

/** The period before this one: `2027-01` -> `2026-12`. */
export function periodBefore(period: string): string {
  const [year, month] = period.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, (month ?? 1) - 2, 1)).toISOString().slice(0, 7);
}

/** The start of a period (`YYYY-MM`) in a time zone, and the start of the next one, when new quotas are granted. */
export const periodBounds = (period: string, timeZone: string): { start: Date; end: Date } => ({
  start: startOf(period, timeZone),
  end: startOf(periodAfter(period), timeZone),
});
