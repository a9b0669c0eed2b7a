import { and, eq, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { type Hours, partsOf, splitAt } from "./day-parts";
import { findSummedUntil } from "./day-sums";
import type { UsageSpan } from "./usage-span";

const { costDays, costHours, costTotals, spendDays, spendHours, spendTotals } = tables;

type SumTable =
  | typeof spendHours
  | typeof spendDays
  | typeof spendTotals
  | typeof costHours
  | typeof costDays
  | typeof costTotals;

const spendFigures = "model_id, calls, amount, input_tokens, output_tokens, cached_tokens, cached_of_tokens";
const costFigures = "channel_id, model_id, calls, amount, cost";

const sources = {
  spend: {
    ...{ days: spendDays, hours: spendHours, totals: spendTotals },
    ...{ own: `hour, account_id, key_id, ${spendFigures}`, ofAll: `hour, ${spendFigures}` },
  },
  cost: {
    ...{ days: costDays, hours: costHours, totals: costTotals },
    ...{ own: `hour, account_id, ${costFigures}`, ofAll: `hour, ${costFigures}` },
  },
};

/** The spans of which sums are read; `before` is compared with `span`, which begins at its end. */
export type SummedSpans = {
  /** Left out: of all accounts. */
  accountIds?: AccountId[] | undefined;
  /** Of one key: its hours, which have an index of keys. Only of spend. */
  keyId?: KeyId | undefined;
  span: UsageSpan;
  before?: UsageSpan | undefined;
  timeZone: string;
  /** Every row is of an hour. */
  isByHour?: boolean | undefined;
  /** The rows have no account and no key. Only of all accounts. */
  isOfAll?: boolean | undefined;
};

const isIn = (table: SumTable, { firstPeriod, lastPeriod }: UsageSpan, { from, until }: Hours) =>
  and(
    gte(table.period, firstPeriod),
    lte(table.period, lastPeriod),
    from === null ? undefined : gte(table.hour, from),
    until === null ? undefined : lt(table.hour, until),
  );

/**
 * The sums of one span or two as rows of a statement, each either of a day, if that day is summed, or of an hour; `hour`
 * is their first one. `is_before`: of the span before.
 */
export async function summedRows(db: Db, source: keyof typeof sources, spans: SummedSpans): Promise<SQL> {
  const { accountIds, keyId, span, before, timeZone, isOfAll = false } = spans;
  const isByHour = (spans.isByHour ?? keyId !== undefined) && !isOfAll;
  const summedUntil = isByHour ? null : await findSummedUntil(db, timeZone);
  const { days: dayTable, hours: hourTable, totals, own, ofAll } = sources[source];
  const columns = sql.raw(isOfAll ? ofAll : own);
  const rowsOf = (each: UsageSpan, isBefore: boolean) => {
    const read = (table: SumTable, part: Hours, whose?: SQL) => sql`
      select ${columns}, ${sql.raw(String(isBefore))} as is_before from ${table}
      where ${and(whose, isIn(table, each, part))}`;
    if (isOfAll) {
      const { summed, rest } = splitAt(each, summedUntil);
      return [...(summed ? [read(totals, summed)] : []), ...(rest ? [read(hourTable, rest)] : [])];
    }
    const whose = (table: typeof dayTable | typeof hourTable) =>
      and(
        accountIds && inArray(table.accountId, accountIds),
        keyId === undefined ? undefined : eq(spendHours.keyId, keyId),
      );
    const { days, hours } = partsOf(each, { summedUntil, timeZone });
    return [
      ...(days ? [read(dayTable, days, whose(dayTable))] : []),
      ...hours.map((part) => read(hourTable, part, whose(hourTable))),
    ];
  };
  const parts = [...rowsOf(span, false), ...(before ? rowsOf(before, true) : [])];
  return sql`(${sql.join(parts, sql` union all `)})`;
}
