import { stringify } from "csv-stringify/sync";
import { currentPeriod } from "@/server/domain/period";
import { parseOrRefuse } from "@/server/domain/refusal";
import { wholeStatementQueries } from "@/server/queries";
import { type Command, text } from "./command";
import { shown } from "./render";

const BATCH_ROWS = 500;

/** A month of every account: as a list, or with `--csv` as the text of a file. */
export const accountMonths: Command = {
  summary: "List the totals of a month for each account; --csv: print CSV",
  flags: { month: { type: "string" }, csv: { type: "boolean" } },
  run: async ({ database, config }, values) => {
    const month = parseOrRefuse(wholeStatementQueries.MonthsOf, { period: text(values, "month") });
    const billing = { period: () => currentPeriod(config.BILLING_TIMEZONE, new Date()) };
    const rows: Record<string, unknown>[] = [];
    let cursor: string | undefined;
    do {
      const page = await wholeStatementQueries.readMonths({ db: database, billing }, month, {
        cursor,
        limit: BATCH_ROWS,
      });
      rows.push(...page.rows.map((row) => shown(row)));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return values.csv === true ? stringify(rows, { header: true }).trimEnd() : rows;
  },
};
