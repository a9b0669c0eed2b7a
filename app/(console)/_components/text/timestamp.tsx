import { useFormatter } from "use-intl";
import { useNow } from "./use-now";

const date = { month: "short", day: "numeric" } as const;
const day = { year: "numeric", ...date } as const;
const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const minutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/**
 * A moment in the reader's own zone: the time if it is today, else date and time, and the year if it is another; how long
 * ago it is, and UTC, on hover. `at`: ISO 8601. `exact`: always date and time. `short`: only the date.
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
  const absolute = format.dateTime(moment, { ...day, ...clock });
  const utc = `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const isToday = format.dateTime(moment, day) === format.dateTime(new Date(now), day);
  const isThisYear =
    format.dateTime(moment, { year: "numeric" }) === format.dateTime(new Date(now), { year: "numeric" });
  const printed = () => {
    if (exact) {
      return absolute;
    }
    if (isToday && !short) {
      return format.dateTime(moment, clock);
    }
    return format.dateTime(moment, { ...(isThisYear ? date : day), ...(!short && minutes) });
  };
  return (
    <time
      dateTime={at}
      title={`${format.relativeTime(moment, now)} · ${absolute} · ${utc}`}
      className="moment"
      // The browser's calendar data may be of another release than the server's.
      suppressHydrationWarning
    >
      {printed()}
    </time>
  );
}
