import { z } from "zod";
import { inDecimals } from "@/server/base/money";
import { paymentStates } from "@/server/domain/enums";
import { AccountId, Id, PAGE_ROWS, Page } from "@/server/operations/schema";
import { getPayment, listPayments, paymentView } from "@/server/payments";
import { query } from "./query";

/** Without `accountId` payments of all accounts, which only operators can request. */
const Whose = AccountId.optional();

/** Payments that customers have made or begun; newest first. */
export const list = query({
  needs: "read",
  input: Page.extend({ accountId: Whose, state: z.enum(paymentStates).optional() }),
  read: async ({ db }, { cursor, ...filter }) => {
    const { rows, nextCursor } = await listPayments(db, filter, { cursor, limit: PAGE_ROWS });
    return { rows: rows.map((payment) => inDecimals(paymentView(payment))), nextCursor };
  },
});

/** One payment with its state. */
export const get = query({
  needs: "read",
  input: z.strictObject({ paymentId: Id, accountId: Whose }),
  read: async ({ db }, ids) => inDecimals(paymentView(await getPayment(db, ids))),
});
