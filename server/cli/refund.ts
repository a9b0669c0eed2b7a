import { refundOperations } from "@/server/operations";
import { accountOf } from "./account-flag";
import { type Command, need } from "./command";
import { money } from "./money-flag";
import { changing, operate } from "./operate";
import { shown } from "./render";

export const refundCommands: Record<string, Command> = {
  create: {
    summary: "Refund the charge of a request, in full or in part, to the current month",
    flags: {
      request: { type: "string", required: true },
      amount: { type: "string" },
      reason: { type: "string", required: true },
      account: { type: "string" },
    },
    run: changing(async (context, values) =>
      shown(
        await operate(context, refundOperations.create, {
          requestId: need(values, "request"),
          accountId: await accountOf(context, values),
          amount: money(values, "amount"),
          reason: need(values, "reason"),
        }),
      ),
    ),
  },
};
