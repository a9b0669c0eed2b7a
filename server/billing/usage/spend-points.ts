import { and, eq, gte, inArray, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { dayOf } from "@/server/domain/days";
import type { SparkSpan } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { currentPeriod } from "@/server/domain/period";

const { spendHours } = tables;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = 24;
const DAYS = 30;

/** The names of a span's hours (`2026-05-31T08` in UTC) or of its days (`2026-05-31` in the billing zone), in order. */
export function pointsOf(span: SparkSpan, now: Date, timeZone: string): string[] {
  if (span === "hours") {
    const first = now.getTime() - (HOURS - 1) * HOUR_MS;
    return Array.from({ length: HOURS }, (_, hour) =>
      new Date(first + hour * HOUR_MS).toISOString().slice(0, "2026-05-31T08".length),
    );
  }
  const today = Date.parse(dayOf(now, timeZone));
  return Array.from({ length: DAYS }, (_, day) =>
    new Date(today - (DAYS - 1 - day) * DAY_MS).toISOString().slice(0, "2026-05-31".length),
  );
}

type SpendPointsQuery = {
  keyIds: KeyId[];
  accountId?: AccountId | undefined;
  span: SparkSpan;
  now: Date;
  timeZone: string;
};

/**
 * The charges of some keys in the last 24 hours or 30 days, in nano-units, per hour or per day, the oldest first, the
 * one under way last. One statement for all keys. A key without charges is not in the result.
 */
export async function spendPointsOfKeys(db: Db, query: SpendPointsQuery): Promise<Map<KeyId, Nanos[]>> {
  const { keyIds, accountId, span, now, timeZone } = query;
  const points = pointsOf(span, now, timeZone);
  // One more day, because of zones; rows before the first point are dropped below.
  const from = new Date(now.getTime() - (span === "hours" ? HOURS * HOUR_MS : (DAYS + 1) * DAY_MS));
  const format = span === "hours" ? 'YYYY-MM-DD"T"HH24' : "YYYY-MM-DD";
  const point =
    sql`to_char(${spendHours.hour} at time zone ${span === "hours" ? "UTC" : timeZone}, ${format})`
      .mapWith(String)
      .as("point");
  const rows = await ormOf(db)
    .select({ keyId: spendHours.keyId, point, amount: sql`sum(${spendHours.amount})`.mapWith(nanos) })
    .from(spendHours)
    .where(
      and(
        inArray(spendHours.keyId, keyIds),
        accountId === undefined ? undefined : eq(spendHours.accountId, accountId),
        // The hour of a call that began in the last minutes of a month may belong to the next month.
        gte(spendHours.period, currentPeriod(timeZone, new Date(from.getTime() - DAY_MS))),
        gte(spendHours.hour, from),
      ),
    )
    .groupBy(spendHours.keyId, point);
  const places = new Map(points.map((name, place) => [name, place]));
  const spent = new Map<KeyId, Nanos[]>();
  for (const { keyId, point: name, amount } of rows) {
    const place = places.get(name);
    if (place !== undefined) {
      const amounts = spent.get(keyId) ?? points.map(() => nanos(0n));
      amounts[place] = amount;
      spent.set(keyId, amounts);
    }
  }
  return spent;
}
