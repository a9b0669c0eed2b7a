import { useFormatter } from "use-intl";
import type { UsageFigures } from "./usage-filter";

/** The short name of a chart's point: an hour in the reader's zone, a day, or a month. */
export function usePointName(unit: UsageFigures["chart"]["unit"]): (point: string) => string {
  const format = useFormatter();
  return (point) => {
    if (unit === "month") {
      return point;
    }
    return unit === "hour"
      ? format.dateTime(new Date(`${point}:00:00Z`), {
          day: "numeric",
          hour: "2-digit",
          minute: "2-digit",
          hourCycle: "h23",
        })
      : format.dateTime(new Date(point), { timeZone: "UTC", month: "numeric", day: "numeric" });
  };
}
