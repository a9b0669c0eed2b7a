import { getAccountByNameOrId } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { listEntries, verifyLedger } from "@/server/billing";
import { type Command, need, wholeNumber } from "./command";
import { Findings } from "./findings";

const list: Command = {
  summary: "Show the newest entries of an account's ledger",
  flags: { account: { type: "string", required: true }, limit: { type: "string" } },
  run: async ({ db }, values) => {
    const account = await getAccountByNameOrId(db, need(values, "account"));
    const limit = wholeNumber(values, "limit", { min: 1, max: 10_000 }) ?? 50;
    const entries = await listEntries(db, { accountId: account.id, limit });
    return entries.map((entry) => ({
      id: entry.id,
      created_at: entry.createdAt,
      period: entry.period,
      kind: entry.kind,
      amount: inDecimals(entry.amount),
      request_id: entry.requestId,
      held: inDecimals(entry.held),
      model: entry.modelId,
      key: entry.keyId,
      input_tokens: entry.inputTokens,
      cache_read_tokens: entry.cacheReadTokens,
      cache_write_tokens: entry.cacheWriteTokens,
      cache_write_1h_tokens: entry.cacheWrite1hTokens,
      output_tokens: entry.outputTokens,
      reasoning_tokens: entry.reasoningTokens,
      usage_source: entry.usageSource,
      prices: inDecimals(entry.prices),
      note: entry.note,
    }));
  },
};

const verify: Command = {
  summary: "Recompute every balance from the entries; exit 1 and the rows on drift",
  flags: {},
  run: async ({ db }) => {
    const drift = (await verifyLedger(db)).map((row) => ({
      account: row.accountId,
      period: row.period,
      figure: row.figure,
      recorded: inDecimals(row.recorded),
      recomputed: inDecimals(row.recomputed),
    }));
    if (drift.length > 0) {
      throw new Findings("the ledger has drifted", drift);
    }
    return { ok: true, drift };
  },
};

export const ledgerCommands: Record<string, Command> = { list, verify };
