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
    summary: "Make codes that customers redeem for money; they are shown this once",
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
    summary: "List batches of codes, and how many of each are redeemed",
    flags: {},
    run: async ({ db }) => (await listCodeBatches(db)).map((entry) => shown(inDecimals(entry))),
  },
  show: {
    summary: "Show a batch and what became of each of its codes",
    flags: batch,
    run: async ({ db }, values) => shownWhole(inDecimals(await getCodeBatch(db, need(values, "batch")))),
  },
  disable: {
    summary: "Refuse the codes of a batch that nobody has redeemed yet, for good",
    flags: batch,
    run: changing(async (context, values) => {
      await operate(context, codeOperations.disable, { batchId: need(values, "batch") });
      return { batch: need(values, "batch"), disabled: true };
    }),
  },
  redeem: {
    summary: "Redeem a code for an account, in the month under way",
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
