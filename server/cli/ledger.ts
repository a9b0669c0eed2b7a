import { getAccountByNameOrId } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { type Drift, isSum, listEntries } from "@/server/billing";
import { patient } from "@/server/db";
import { ledgerOperations } from "@/server/operations";
import { type Command, limitOf, need } from "./command";
import { Findings } from "./findings";
import { check, scopeFlags, shownDrift } from "./ledger-check";
import { operate } from "./operate";
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
  summary:
    "Recompute every balance from the entries, newest month first; exit 1 and the rows on drift, 2 if it could not",
  flags: scopeFlags,
  isVerdict: true,
  run: async (context, values) => {
    const drift = await check(context, values);
    if (drift.length > 0) {
      throw new Findings("the ledger has drifted", shownDrift(drift));
    }
    return { ok: true, drift };
  },
};

/** The months in which something can be mended: whose a sum is has to be known. */
const monthsOf = (drift: Drift[]) =>
  new Map(
    drift
      .filter((each) => isSum(each) && each.accountId !== "")
      .map(({ accountId, period }) => [`${accountId} ${period}`, { accountId, period }]),
  ).values();

const repair: Command = {
  summary:
    "Show which sums are not what the entries add up to; with --yes mend them, never an entry or a hold",
  flags: { ...scopeFlags, yes: { type: "boolean" } },
  run: async (context, values) => {
    const drift = await check(context, values);
    if (values.yes !== true) {
      context.tell("nothing was changed: --yes mends these");
      return shownDrift(drift);
    }
    // One transaction for each: a month is not kept waiting for the others.
    const patiently = { ...context, db: patient(context.database) };
    const mended: Drift[] = [];
    for (const month of monthsOf(drift)) {
      mended.push(...(await operate(patiently, ledgerOperations.repair, month)));
    }
    const left = drift.filter((each) => !isSum(each) || each.accountId === "");
    if (left.length > 0) {
      throw new Findings("these are no sums of an account, and nothing here can mend them", shownDrift(left));
    }
    return shownDrift(mended);
  },
};

export const ledgerCommands: Record<string, Command> = { list, verify, repair };
