import { useFormatter } from "use-intl";

/** Names a month of the ledger, such as `2026-11`, in the reader's language: November 2026. */
export function useMonthName(): (period: string) => string {
  const format = useFormatter();
  return (period) =>
    format.dateTime(new Date(`${period}-01T00:00:00Z`), { year: "numeric", month: "long", timeZone: "UTC" });
}
