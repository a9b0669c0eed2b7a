import { type DateTimeFormatOptions, useFormatter, useLocale } from "use-intl";

/** Node.js writes thin spaces around the dash, and browsers write usual ones: the page would differ after loading. */
const THIN_SPACES = /[\u2009\u202f]/g;

type Options = Pick<DateTimeFormatOptions, "dateStyle" | "timeStyle" | "hourCycle" | "timeZone">;

/** Formats a span of time, in words: `Dec 1 – 31, 2026`, `2026年12月1日至2026年12月31日`. */
export function useSpanOf(): (from: Date, until: Date, options: Options) => string {
  const format = useFormatter();
  const locale = useLocale();
  return (from, until, options) => {
    if (locale !== "zh") {
      return format.dateTimeRange(from, until, options).replace(THIN_SPACES, " ");
    }
    // A range in Chinese would have its dates in figures.
    const [first, last] = [format.dateTime(from, options), format.dateTime(until, options)];
    return first === last ? first : `${first}至${last}`;
  };
}
