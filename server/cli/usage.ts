import { parseOrRefuse } from "@/server/domain/refusal";
import { usageQueries } from "@/server/queries";
import { accountOf } from "./account-flag";
import type { Command } from "./command";
import { shownWhole } from "./render";
import { spanFlags, spanOf } from "./span-flags";
import { withRooms } from "./with-rooms";

type UsageReport = Awaited<ReturnType<typeof usageQueries.show.read>>;

/** A row for people, with the cost of the previous span. */
const line = (name: string, sums: UsageReport["total"]) => ({
  name,
  calls: sums.calls,
  input_tokens: sums.inputTokens,
  cached_tokens: sums.cachedTokens,
  cached_of_tokens: sums.cachedOfTokens,
  output_tokens: sums.outputTokens,
  amount: sums.amount,
  before: sums.before.amount,
});

const show: Command = {
  summary:
    "Show usage and spend by model, key, key_model or account, compared with the previous period: this month, --range today, yesterday, day, week, 30-days or last-month, or days",
  flags: { ...spanFlags, account: { type: "string" } },
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const input = parseOrRefuse(usageQueries.show.input, {
        accountId: await accountOf(context, values),
        ...spanOf(values),
      });
      const usage = await usageQueries.show.read({ ...rooms, config, secrets, db }, input, "operator");
      const rows = usage.rows.map(({ id, name, ...sums }) => ({ id, ...line(name, sums) }));
      const others = usage.others ? [{ id: null, ...line("others", usage.others) }] : [];
      return [...rows, ...others, { id: null, ...line("total", usage.total) }].map(shownWhole);
    }),
};

export const usageCommands: Record<string, Command> = { show };
