import type { z } from "zod";
import { findKeyNames, getAccount } from "@/server/access";
import { formatMoney, inDecimals, type Nanos, nanos } from "@/server/base/money";
import { findArchived, listMonthSums, listStatement, sumMonth } from "@/server/billing";
import type { EntryKind } from "@/server/domain/enums";
import { periodBounds } from "@/server/domain/period";
import { PAGE_ROWS, Page } from "@/server/operations/schema";
import { invoiceOf, invoiceTermsOf } from "./invoice";
import { type QueryContext, query } from "./query";
import { changeOf, findMonth, MonthOf } from "./statements";

/** Entries that a statement lists line by line; charges are summed. */
const listedKinds = [
  "topup",
  "refund",
  "adjustment",
  "carryover",
  "adjust",
] as const satisfies readonly EntryKind[];
const MOST_ENTRIES = 200;

type StatementLine = { calls: number; amount: Nanos; inputTokens: number; outputTokens: number };

/** Sums lines by a name, the most expensive first. */
function sumBy<L extends StatementLine>(
  lines: L[],
  nameOf: (line: L) => string,
): (StatementLine & { name: string })[] {
  const sums = new Map<string, StatementLine & { name: string }>();
  for (const line of lines) {
    const name = nameOf(line);
    const { calls = 0, amount = 0n, inputTokens = 0, outputTokens = 0 } = sums.get(name) ?? {};
    sums.set(name, {
      name,
      calls: calls + line.calls,
      amount: nanos(amount + line.amount),
      inputTokens: inputTokens + line.inputTokens,
      outputTokens: outputTokens + line.outputTokens,
    });
  }
  return [...sums.values()].sort((a, b) => (a.amount < b.amount ? 1 : -1));
}

async function entriesOf({ db }: QueryContext, month: Parameters<typeof findMonth>[1]) {
  const lists = [];
  for (const kind of listedKinds) {
    lists.push(await listStatement(db, { ...month, kind }, { limit: MOST_ENTRIES }));
  }
  const entries = lists
    .flatMap(({ rows }) => rows)
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map((entry) => ({
      id: entry.id,
      createdAt: entry.createdAt,
      kind: entry.kind,
      change: formatMoney(changeOf(entry)),
      requestId: entry.requestId,
      note: entry.note,
    }));
  return { entries, isCut: lists.some(({ nextCursor }) => nextCursor !== null) };
}

/** The same number at any time: the month, and the random end of the account's identifier. */
const numberOf = (accountId: string, period: string) =>
  `${period.replace("-", "")}-${accountId.slice(-8).toUpperCase()}`;

/**
 * A month, by default the current one, to print: `opening` + `adjusted` + `topups` + `refunded` + `adjustments` +
 * `carried` - `used` - `frozen` = `closing`. The sum of `models` is `used`, and so is that of `keys`. `isCut`: there
 * are more entries than listed.
 */
export const get = query({
  needs: "read",
  input: MonthOf.partial({ period: true }),
  read: async (reading, { accountId, period = reading.billing.period() }) => {
    const { db, billing, config } = reading;
    const month = { accountId, period };
    const { id, name, buyerName, buyerAddress, buyerTaxNumber } = await getAccount(db, accountId);
    const balance = await findMonth(reading, month);
    const { used, frozen, kinds, lines } = await sumMonth(db, month);
    const names = await findKeyNames(
      db,
      lines.flatMap(({ keyId }) => (keyId === "" ? [] : keyId)),
      accountId,
    );
    const totalOf = (kind: EntryKind) => kinds[kind] ?? nanos(0n);
    const opening = totalOf("grant");
    const quota = nanos(opening + totalOf("adjust"));
    const terms = invoiceTermsOf(config);
    const added =
      totalOf("adjust") + totalOf("topup") + totalOf("refund") + totalOf("adjustment") + totalOf("carryover");
    return inDecimals({
      number: numberOf(id, period),
      account: { id, name },
      buyer: { name: buyerName, address: buyerAddress, taxId: buyerTaxNumber },
      period,
      ...periodBounds(balance.period, config.BILLING_TIMEZONE),
      isUnderWay: period === billing.period(),
      isArchived: (await findArchived(db, month)) !== null,
      opening,
      quota,
      adjusted: totalOf("adjust"),
      topups: totalOf("topup"),
      refunded: totalOf("refund"),
      adjustments: totalOf("adjustment"),
      carried: totalOf("carryover"),
      used,
      frozen,
      closing: nanos(opening + added - used - frozen),
      currency: config.CURRENCY,
      invoice: terms && invoiceOf({ quota, credits: opening + added - quota, used }, terms),
      models: sumBy(lines, ({ modelId }) => modelId).map(({ name: modelId, ...sum }) => ({
        modelId,
        ...sum,
      })),
      keys: sumBy(lines, ({ keyId }) => keyId).map(({ name: keyId, ...sum }) => ({
        id: keyId,
        key: names.get(keyId) ?? null,
        ...sum,
      })),
      ...(await entriesOf(reading, month)),
    });
  },
});

export const MonthsOf = MonthOf.pick({ period: true }).partial();

/** A month, by default the current one, of the accounts after a cursor. `nextCursor` null: the last page. */
export async function readMonths(
  { db, billing }: Pick<QueryContext, "db" | "billing">,
  { period = billing.period() }: z.output<typeof MonthsOf>,
  { cursor = "", limit }: { cursor?: string | undefined; limit: number },
) {
  const rows = await listMonthSums(db, { period, after: cursor, limit });
  const last = rows.length < limit ? null : rows.at(-1);
  return { rows: rows.map((row) => inDecimals({ period, ...row })), nextCursor: last?.accountId ?? null };
}

/** A month of all accounts, ordered by account. */
export const months = query({
  mayLag: true,
  needs: "staff.read",
  input: MonthsOf.extend(Page.shape),
  read: (reading, { cursor, ...month }) => readMonths(reading, month, { cursor, limit: PAGE_ROWS }),
});
