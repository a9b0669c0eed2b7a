/** The charges of compared calls. */

import { type AnyColumn, and, eq, inArray, ne, or, type SQL, sql, type WithSubquery } from "drizzle-orm";
import { nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { lowestId, madeAt } from "@/server/domain/ids";
import { currentPeriod, periodAfter, periodBounds } from "@/server/domain/period";

const { ledgerEntries } = tables;

/** The identifiers of the first and the last of the compared calls. */
export type Extent = { first: string; last: string };

/** Farther from a month's end, a moment is in the same month in every zone. */
const ZONE_MS = 26 * 3_600_000;

/** The months whose money calls between two moments froze, in any zone. */
function monthsOf(first: Date, last: Date): string[] {
  const months: string[] = [];
  const end = currentPeriod("UTC", new Date(last.getTime() + ZONE_MS));
  const begin = currentPeriod("UTC", new Date(first.getTime() - ZONE_MS));
  for (let month = begin; month <= end; month = periodAfter(month)) {
    months.push(month);
  }
  return months;
}

const startOf = (month: string) => periodBounds(month, "UTC").start;

/** The month in which a call began, in UTC. A task's identifier gets any of the months. */
function monthOf(id: SQL, [first = "", ...later]: string[]): SQL {
  const cases = later
    .toReversed()
    .map((month) => sql`when ${id} >= ${lowestId("req", startOf(month))} then ${month}`);
  return cases.length === 0 ? sql`${first}` : sql`case ${sql.join(cases, sql` `)} else ${first} end`;
}

/** Whether the charge may be of another month: near a month's end, or of a task, which may have begun earlier. */
function mayBeElsewhere(id: SQL, [, ...later]: string[]): SQL {
  const nearEnds = later.map((month) => {
    const [from, until] = [-ZONE_MS, ZONE_MS].map((ms) =>
      lowestId("req", new Date(startOf(month).getTime() + ms)),
    );
    return sql`${id} between ${from} and ${until}`;
  });
  return or(sql`not starts_with(${id}, 'req_')`, ...nearEnds) ?? sql`true`;
}

const countOf = (column: AnyColumn) => sql`coalesce(${column}, 0)`;
const input = sql`${countOf(ledgerEntries.inputTokens)} + ${countOf(ledgerEntries.cacheReadTokens)}
  + ${countOf(ledgerEntries.cacheWriteTokens)} + ${countOf(ledgerEntries.cacheWrite1hTokens)}`;
const output = countOf(ledgerEntries.outputTokens);

/** Compared calls, and the identifier that the charge of each has. */
type ChargedCalls = WithSubquery & Record<"accountId" | "chargeId", SQL.Aliased>;

/**
 * The charges of calls, each once, also that of a task that several calls submitted. A call's charge is looked up in the call's month, and in the others only if it
 * may be there. All look-ups of an account in a month are one walk along the index: one by one they take three times as
 * long, and a join that PostgreSQL may plan in another way reads whole months of the ledger for some thousand calls.
 */
export function chargesOf(db: Db, calls: ChargedCalls, { first, last }: Extent) {
  const orm = ormOf(db);
  const months = monthsOf(madeAt(first), madeAt(last));
  const id = sql`${calls.chargeId}`;
  const wanted = orm
    .select({
      accountId: sql<string>`${calls.accountId}`.as("wanted_account"),
      month: sql<string>`${monthOf(id, months)}`.as("wanted_month"),
      ids: sql`array_agg(${id})`.as("wanted_ids"),
      otherIds: sql`array_agg(${id}) filter (where ${mayBeElsewhere(id, months)})`.as("wanted_elsewhere"),
    })
    .from(calls)
    .groupBy(sql`1`, sql`2`)
    .as("wanted");
  const found = (ids: SQL.Aliased, inMonth: SQL | undefined) =>
    orm
      .select({
        accountId: ledgerEntries.accountId,
        id: ledgerEntries.id,
        amount: sql`${ledgerEntries.amount}`.mapWith(nanos).as("charged_amount"),
        inputTokens: input.as("charged_input"),
        outputTokens: output.as("charged_output"),
      })
      .from(ledgerEntries)
      .where(
        and(
          eq(ledgerEntries.accountId, wanted.accountId),
          sql`${ledgerEntries.id} = any(${ids})`,
          eq(ledgerEntries.kind, "capture"),
          inMonth,
        ),
      );
  const { period } = ledgerEntries;
  const charges = found(wanted.ids, eq(period, wanted.month))
    .unionAll(found(wanted.otherIds, and(inArray(period, months), ne(period, wanted.month))))
    .as("charges");
  return orm
    .select({
      accountId: charges.accountId,
      id: charges.id,
      amount: charges.amount,
      inputTokens: charges.inputTokens,
      outputTokens: charges.outputTokens,
    })
    .from(wanted)
    .innerJoinLateral(charges, sql`true`);
}
