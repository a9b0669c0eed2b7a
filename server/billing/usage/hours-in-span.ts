import { and, gte, lt, lte, type SQL } from "drizzle-orm";
import type { tables } from "@/server/db";
import { floorHour } from "@/server/domain/days";
import type { UsageSpan } from "./usage-span";

/**
 * Whether a row of hourly sums belongs to a span. Whole months match the ledger, charge by charge. Within a month,
 * hours are whole in UTC, so in a zone with a half-hour offset a day begins with the UTC hour that contains its start.
 */
export function isHourIn(
  table: typeof tables.spendHours | typeof tables.costHours,
  { from, until, firstPeriod, lastPeriod, isFromStart, isToEnd }: UsageSpan,
): SQL | undefined {
  return and(
    gte(table.period, firstPeriod),
    lte(table.period, lastPeriod),
    isFromStart ? undefined : gte(table.hour, floorHour(from)),
    isToEnd ? undefined : lt(table.hour, floorHour(until)),
  );
}
