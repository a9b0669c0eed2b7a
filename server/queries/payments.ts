import { z } from "zod";
import { paymentStates } from "@/server/base/facts";
import { inDecimals } from "@/server/base/money";
import { AccountId, Id, PAGE_ROWS, Page } from "@/server/operations/schema";
import { getPayment, listPayments, paymentView } from "@/server/payments";
import { query } from "./query";

/** Of any account where none is named, which only operators can leave out. */
const Whose = AccountId.optional();

/** What customers have paid, or begun to; newest first. */
export const list = query({
  needs: "read",
  input: Page.extend({ accountId: Whose, state: z.enum(paymentStates).optional() }),
  read: async ({ db }, { cursor, ...filter }) => {
    const { rows, nextCursor } = await listPayments(db, filter, { cursor, limit: PAGE_ROWS });
    return { rows: rows.map((payment) => inDecimals(paymentView(payment))), nextCursor };
  },
});

/** What has become of one. */
export const get = query({
  needs: "read",
  input: z.strictObject({ paymentId: Id, accountId: Whose }),
  read: async ({ db }, of) => inDecimals(paymentView(await getPayment(db, of))),
});
