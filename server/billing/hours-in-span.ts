import { and, gte, lt, lte, type SQL } from "drizzle-orm";
import type { tables } from "@/server/db";
import { floorHour } from "./days";
import type { UsageSpan } from "./usage-span";

/**
 * Whether a row of sums by the hour belongs to a span. Whole months are those of the ledger, charge by charge; in between,
 * hours are whole in UTC, so in a zone of half hours a day begins with the hour that it begins in.
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
