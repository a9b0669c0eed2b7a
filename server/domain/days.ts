const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The start of the UTC hour that contains a moment. */
export const floorHour = (moment: Date): Date => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);

const formats = new Map<string, Intl.DateTimeFormat>();

/** Makes one a zone, because making it costs fifty times more than a use. Zones come from the configuration. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone });
  formats.set(timeZone, format);
  return format;
}

/** The day of a moment (`2026-05-31`) in a zone. */
export const dayOf = (moment: Date | number, timeZone: string): string => formatOf(timeZone).format(moment);

export const daysLater = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** The start of a day in a zone: its first whole minute. */
export function startOfDay(day: string, timeZone: string): Date {
  const format = formatOf(timeZone);
  const middle = Date.parse(day) / 60_000;
  let [before, within] = [middle - 24 * 60, middle + 24 * 60];
  while (within - before > 1) {
    const between = Math.floor((before + within) / 2);
    if (format.format(between * 60_000) < day) {
      before = between;
    } else {
      within = between;
    }
  }
  return new Date(within * 60_000);
}
