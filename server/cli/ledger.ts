import { getAccountByNameOrId } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { listEntries, verifyLedger } from "@/server/billing";
import { type Command, limitOf, need } from "./command";
import { Findings } from "./findings";
import { shown } from "./render";

const list: Command = {
  summary: "Show the newest entries of an account's ledger",
  flags: { account: { type: "string", required: true }, limit: { type: "string" } },
  run: async ({ db }, values) => {
    const account = await getAccountByNameOrId(db, need(values, "account"));
    const entries = await listEntries(db, { accountId: account.id, limit: limitOf(values) });
    return inDecimals(entries).map(({ channelId: _, ...entry }) =>
      shown(entry, { modelId: "model", keyId: "key" }),
    );
  },
};

const verify: Command = {
  summary: "Recompute every balance from the entries; exit 1 and the rows on drift",
  flags: {},
  run: async ({ db }) => {
    const drift = inDecimals(await verifyLedger(db)).map(({ keyId: _, ...row }) =>
      shown(row, { accountId: "account" }),
    );
    if (drift.length > 0) {
      throw new Findings("the ledger has drifted", drift);
    }
    return { ok: true, drift };
  },
};

export const ledgerCommands: Record<string, Command> = { list, verify };
