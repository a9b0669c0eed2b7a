import { getAccountByNameOrId } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { getCodeBatch, listCodeBatches } from "@/server/billing";
import { codeOperations } from "@/server/operations";
import { type Command, expiry, need, wholeNumber } from "./command";
import { needMoney } from "./money-flag";
import { changing, operate } from "./operate";
import { shown, shownWhole } from "./render";

const batch: Command["flags"] = { batch: { type: "string", required: true } };

export const codeCommands: Record<string, Command> = {
  create: {
    summary: "Create redeem codes; they are shown only once",
    flags: {
      name: { type: "string", required: true },
      amount: { type: "string", required: true },
      count: { type: "string" },
      expires: { type: "string" },
    },
    run: changing(async (context, values) =>
      shown(
        await operate(context, codeOperations.create, {
          name: need(values, "name"),
          amount: needMoney(values, "amount"),
          count: wholeNumber(values, "count", { min: 1, max: 1_000 }) ?? 1,
          expiresAt: expiry(values),
        }),
      ),
    ),
  },
  list: {
    summary: "List batches of redeem codes and how many codes are redeemed",
    flags: {},
    run: async ({ db }) => (await listCodeBatches(db)).map((entry) => shown(inDecimals(entry))),
  },
  show: {
    summary: "Show a batch and the status of each of its codes",
    flags: batch,
    run: async ({ db }, values) => shownWhole(inDecimals(await getCodeBatch(db, need(values, "batch")))),
  },
  disable: {
    summary: "Disable the unredeemed codes of a batch permanently",
    flags: batch,
    run: changing(async (context, values) => {
      await operate(context, codeOperations.disable, { batchId: need(values, "batch") });
      return { batch: need(values, "batch"), disabled: true };
    }),
  },
  redeem: {
    summary: "Redeem a code for an account, in the current month",
    flags: { account: { type: "string", required: true }, code: { type: "string", required: true } },
    run: changing(async (context, values) =>
      shown(
        await operate(context, codeOperations.redeem, {
          accountId: (await getAccountByNameOrId(context.db, need(values, "account"))).id,
          code: need(values, "code"),
        }),
      ),
    ),
  },
};
