import { useFormatter } from "use-intl";

/**
 * Formats a moment for use in a sentence, to the minute, on a clock of 24 hours like that of tables: `Dec 1, 2026, 04:00`.
 * `timeZone`: another than the reader's.
 */
export function useMomentOf(timeZone?: string): (at: string | Date) => string {
  const format = useFormatter();
  return (at) =>
    format.dateTime(new Date(at), {
      ...{ dateStyle: "medium", timeStyle: "short", hourCycle: "h23" },
      ...(timeZone !== undefined && { timeZone }),
    });
}
