import { keyAndModelOf } from "@/server/domain/enums";
import { usageQueries } from "@/server/queries";
import type { Runtime } from "@/server/runtime/runtime";
import type { CsvTable } from "./csv";
import { type Columns, tableOf } from "./tables";

type UsageReport = Awaited<ReturnType<typeof usageQueries.show.read>>;
type UsageTableRow = UsageReport["total"] & { id: string | null; name: string };

/** The page shows the hundred most expensive. */
const MOST_ROWS = 10_000;

/** The columns that identify a row's group. */
const groupColumns = (by: UsageReport["by"]): Columns<UsageTableRow> =>
  by === "key_model"
    ? {
        key_id: (row) => row.id && keyAndModelOf(row.id).keyId,
        model_id: (row) => row.id && keyAndModelOf(row.id).modelId,
        key_model_name: (row) => row.name,
      }
    : { [`${by}_id`]: (row) => row.id, [`${by}_name`]: (row) => row.name };

const columnsOf = ({ by, start, end }: UsageReport, currency: string): Columns<UsageTableRow> => ({
  from: () => start.toISOString(),
  until: () => end.toISOString(),
  ...groupColumns(by),
  amount: (row) => row.amount,
  before: (row) => row.before.amount,
  currency: () => currency,
  calls: (row) => row.calls,
  input_tokens: (row) => row.inputTokens,
  cached_tokens: (row) => row.cachedTokens,
  cached_of_tokens: (row) => row.cachedOfTokens,
  output_tokens: (row) => row.outputTokens,
});

/**
 * Usage as the page shows it, the most expensive first, but with more groups, and then the sum of all others. Throws
 * Refusal.
 */
export async function usageTable(
  runtime: Runtime,
  input: Parameters<typeof usageQueries.show.read>[1],
  seat: "owner" | "operator",
): Promise<CsvTable> {
  const usage = await usageQueries.readUsage(runtime, input, MOST_ROWS);
  const others = usage.others ? [{ ...usage.others, id: null, name: "others" }] : [];
  async function* batches(): AsyncGenerator<UsageTableRow[]> {
    yield [...usage.rows, ...others];
  }
  const file = seat === "owner" ? "usage" : "all-usage";
  const days = `${usage.start.toISOString().slice(0, 10)}-to-${usage.end.toISOString().slice(0, 10)}`;
  return tableOf(
    `tollgate-${file}-by-${usage.by}-${days}`,
    columnsOf(usage, runtime.config.CURRENCY),
    batches(),
  );
}
