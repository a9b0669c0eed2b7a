/** Tells the billing month (`YYYY-MM`) of a moment in one time zone. */
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

/** The billing month of one moment, for those who ask once. */
export const currentPeriod = (timeZone: string, moment: Date): string => createCalendar(timeZone)(moment);
