import { findAccountNames } from "@/server/access";
import { exportChanges } from "@/server/audit";
import { formatMoney, inDecimals, nanos } from "@/server/base/money";
import { exportStatement } from "@/server/billing";
import { cellsOfLine, priceFileColumns } from "@/server/catalog";
import type { AccountId } from "@/server/domain/ids";
import type { Side } from "@/server/domain/roles";
import { statedClasses, type TokenField } from "@/server/pricing";
import { callQueries, priceFileQueries, statementQueries, wholeStatementQueries } from "@/server/queries";
import type { Runtime } from "@/server/runtime/runtime";
import type { CsvTable } from "./csv";

const BATCH_ROWS = 200;

type ExportPage<Row> = { rows: Row[]; nextCursor: string | null };

async function* pagesOf<Row>(load: (cursor: string | undefined) => Promise<ExportPage<Row>>) {
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    yield page.rows;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The cells of a row by column, in the order of the file. */
export type Columns<Row> = Record<string, (row: Row) => string | number | boolean | null | undefined>;

/** A column for the count of each class of tokens. */
const tokenColumns = <Row>(
  countOf: (row: Row, field: TokenField) => number | null | undefined,
): Columns<Row> =>
  Object.fromEntries(
    statedClasses.map(({ name, field }) => [`${name}_tokens`, (row: Row) => countOf(row, field)]),
  );

export function tableOf<Row>(name: string, columns: Columns<Row>, batches: AsyncIterable<Row[]>): CsvTable {
  const reads = Object.values(columns);
  async function* rows() {
    for await (const batch of batches) {
      yield batch.map((row) => reads.map((read) => read(row) ?? null));
    }
  }
  return { name, columns: Object.keys(columns), batches: rows() };
}

const today = () => new Date().toISOString().slice(0, 10);

type ExportedCall = Awaited<ReturnType<typeof callQueries.readCalls>>["rows"][number];

/** `charge_id`: calls with the same one share one charge, so their costs must not be summed. */
const callColumns = (currency: string): Columns<ExportedCall> => ({
  started_at: (call) => call.startedAt.toISOString(),
  request_id: (call) => call.requestId,
  key_id: (call) => call.key.id,
  key_name: (call) => call.key.name,
  key_last_four: (call) => call.key.lastFour,
  model: (call) => call.modelId,
  endpoint: (call) => call.endpoint,
  status: (call) => call.status,
  error: (call) => call.error,
  streamed: (call) => call.isStream,
  ...tokenColumns<ExportedCall>((call, field) => call.tokens?.[field]),
  reasoning_tokens: (call) => call.tokens?.reasoning,
  tokens_from: (call) => call.usageSource,
  money: (call) => call.money,
  cost: (call) => call.cost,
  currency: () => currency,
  charge_id: (call) => call.chargeId,
  first_token_ms: (call) => call.firstTokenMs,
  elapsed_ms: (call) => call.elapsedMs,
  address: (call) => call.address,
});

const behindColumns: Columns<ExportedCall> = {
  account_id: (call) => call.account?.id,
  account_name: (call) => call.account?.name,
  channel_id: (call) => call.channel?.id,
  channel_name: (call) => call.channel?.name,
};

/** One account's calls, or all calls with their accounts and channels, newest first. */
export function callsTable(
  runtime: Runtime,
  filter: Parameters<typeof callQueries.readCalls>[1],
  side: Side,
): CsvTable {
  const columns = callColumns(runtime.config.CURRENCY);
  return tableOf(
    `tollgate-${side === "owner" ? "requests" : "all-requests"}-${today()}`,
    side === "owner" ? columns : { ...columns, ...behindColumns },
    pagesOf((cursor) => callQueries.readCalls(runtime, filter, { cursor, limit: BATCH_ROWS, side })),
  );
}

const positive = (amount: bigint) => (amount > 0n ? formatMoney(nanos(amount)) : null);

type ExportedEntry = Awaited<ReturnType<typeof statementQueries.withKeys>>[number];

/**
 * Additions and deductions in separate columns: a spreadsheet sums each, and neither has a sign that looks like a
 * formula.
 */
const entryColumns = (currency: string): Columns<ExportedEntry> => ({
  entry_id: (entry) => entry.id,
  created_at: (entry) => new Date(entry.createdAt).toISOString(),
  kind: (entry) => entry.kind,
  added: (entry) => positive(statementQueries.changeOf(entry)),
  spent: (entry) => positive(-statementQueries.changeOf(entry)),
  frozen_before: (entry) => inDecimals(entry.held),
  currency: () => currency,
  request_id: (entry) => entry.requestId,
  key_id: (entry) => entry.keyId,
  key_name: (entry) => entry.key?.name,
  model: (entry) => entry.modelId,
  ...tokenColumns<ExportedEntry>((entry, field) => entry[`${field}Tokens`]),
  reasoning_tokens: (entry) => entry.reasoningTokens,
  tokens_from: (entry) => entry.usageSource,
  note: (entry) => entry.note,
});

/** A month's entries, oldest first. Throws Refusal. */
export async function statementTable(
  runtime: Runtime,
  month: { accountId: AccountId; period: string },
): Promise<CsvTable> {
  await statementQueries.get.read(runtime, month, "owner");
  async function* batches() {
    for await (const batch of exportStatement(runtime.db, month)) {
      yield await statementQueries.withKeys(runtime, batch, month.accountId);
    }
  }
  return tableOf(`tollgate-statement-${month.period}`, entryColumns(runtime.config.CURRENCY), batches());
}

type ExportedMonth = Awaited<ReturnType<typeof wholeStatementQueries.readMonths>>["rows"][number];

const unsigned = (amount: string, isTaken: boolean) =>
  amount.startsWith("-") === isTaken ? amount.replace("-", "") : null;

/** A month of every account. As in the file of a statement, no amount has a sign. */
export function monthsTable(runtime: Runtime, month: { period?: string | undefined }): CsvTable {
  const columns: Columns<ExportedMonth> = {
    period: (row) => row.period,
    account_id: (row) => row.accountId,
    account_name: (row) => row.name,
    quota: (row) => row.quota,
    top_ups: (row) => row.topups,
    refunded: (row) => row.refunded,
    credited: (row) => unsigned(row.adjustments, false),
    debited: (row) => unsigned(row.adjustments, true),
    carried_in: (row) => unsigned(row.carried, false),
    carried_out: (row) => unsigned(row.carried, true),
    used: (row) => row.used,
    frozen: (row) => row.frozen,
    closing: (row) => unsigned(row.closing, false),
    overdrawn: (row) => unsigned(row.closing, true),
    currency: () => runtime.config.CURRENCY,
  };
  return tableOf(
    `tollgate-months-${month.period ?? runtime.billing.period()}`,
    columns,
    pagesOf((cursor) => wholeStatementQueries.readMonths(runtime, month, { cursor, limit: BATCH_ROWS })),
  );
}

/** Every price, current and scheduled, as an import reads it. */
export function pricesTable(runtime: Runtime): CsvTable {
  const { CURRENCY } = runtime.config;
  async function* batches() {
    const lines = await priceFileQueries.linesToExport(runtime);
    yield lines.map((line) => Object.values(cellsOfLine(line, CURRENCY)));
  }
  return { name: `tollgate-prices-${today()}`, columns: priceFileColumns, batches: batches() };
}

type ChangeFilter = Parameters<typeof exportChanges>[1];

/** Changes by all users, newest first. */
export function changesTable({ db }: Runtime, filter: ChangeFilter): CsvTable {
  async function* batches() {
    for await (const batch of exportChanges(db, filter)) {
      const accountIds = new Set(batch.flatMap(({ accountId }) => accountId ?? []));
      const names = await findAccountNames(db, [...accountIds]);
      yield batch.map((change) => ({ ...change, accountName: names.get(change.accountId ?? "") }));
    }
  }
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return tableOf(
    `tollgate-audit-${today()}`,
    {
      entry_id: (change) => change.id,
      created_at: (change) => change.createdAt.toISOString(),
      actor: (change) => change.actor,
      user_id: (change) => change.userId,
      address: (change) => change.address,
      action: (change) => change.action,
      account_id: (change) => change.accountId,
      account_name: (change) => change.accountName,
      target_id: (change) => change.targetId,
      target_name: (change) => change.targetName,
      before: (change) => json(change.before),
      after: (change) => json(change.after),
    },
    batches(),
  );
}
