import { getAccountByNameOrId } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { listEntries, verifyChain } from "@/server/billing";
import { patient } from "@/server/db";
import { type Command, limitOf, need, text } from "./command";
import { CheckFailed } from "./findings";
import { archive, verifyArchive } from "./ledger-archive";
import { check, outageSales, scopeFlags } from "./ledger-check";
import { mend } from "./ledger-repair";
import { shown } from "./render";

const list: Command = {
  summary: "List the newest ledger entries of an account",
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
  summary:
    "Check every balance against the ledger, for closed months against their totals; exit code 1 with the rows: differences, 2: check failed",
  flags: { ...scopeFlags, archive: { type: "string" } },
  isVerdict: true,
  run: async (context, values) => {
    const file = text(values, "archive");
    if (file !== undefined) {
      return await verifyArchive(context, file);
    }
    const found = await check(context, values);
    if (found.count > 0) {
      throw new CheckFailed(`the ledger has drifted${found.leftOutWords()}`, found.rows());
    }
    const broken = await verifyChain(patient(context.database));
    if (broken.length > 0) {
      throw new CheckFailed("closed months have changed since they were closed", broken);
    }
    const outage = await outageSales(context, values);
    return { ok: true, drift: [], ...(outage.length > 0 && { outage }) };
  },
};

const repair: Command = {
  summary: "Show sums that do not match their entries; --yes: correct the sums, never an entry or a hold",
  flags: { ...scopeFlags, yes: { type: "boolean" } },
  run: async (context, values) => {
    if (values.yes !== true) {
      const found = await check(context, values);
      context.tell(`nothing was changed; correct these with --yes${found.leftOutWords()}`);
      return found.rows();
    }
    const mended = await mend(context, values);
    if (mended.leftOutWords() !== "") {
      context.tell(`corrected${mended.leftOutWords()}`);
    }
    return mended.rows();
  },
};

export const ledgerCommands: Record<string, Command> = { list, verify, repair, archive };
