import { useFormatter } from "use-intl";
import { useNow } from "./use-now";

const DAY_MS = 86_400_000;

/**
 * A moment in the reader's own zone: relative within a day, else date and time; both, and UTC, on hover. `at`: ISO
 * 8601. `short`: only the date.
 */
export function Timestamp({
  at,
  exact = false,
  short = false,
}: {
  at: string;
  exact?: boolean;
  short?: boolean;
}) {
  const format = useFormatter();
  const now = useNow();
  const moment = new Date(at);
  const absolute = format.dateTime(moment, {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
  const far = short
    ? format.dateTime(moment, { year: "numeric", month: "2-digit", day: "2-digit" })
    : absolute;
  const isNear = !exact && Math.abs(now - moment.getTime()) < DAY_MS;
  const utc = `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return (
    <time
      dateTime={at}
      title={`${absolute} · ${utc}`}
      className="moment"
      // The browser's calendar data may be of another release than the server's.
      suppressHydrationWarning
    >
      {isNear ? format.relativeTime(moment, now) : far}
    </time>
  );
}
