import { paymentOperations } from "@/server/operations";
import { paymentQueries } from "@/server/queries";
import { one, operates, page, type Route, reads } from "./route";
import { act, get } from "./verbs";

/** What customers pay by themselves. */
export const paymentRoutes: readonly Route[] = [
  get("/payments", "List payments", reads(paymentQueries.list, page("Payment"))),
  get("/payments/{payment_id}", "Show a payment", reads(paymentQueries.get, one("Payment"))),
  // Kept by nobody: the provider is asked outside the transaction that a kept answer would be in.
  act(
    "/accounts/{account_id}/payments",
    "Open a page at the payment provider's, on which an account's top-up is paid",
    operates(paymentOperations.create, one("NewPayment")),
  ),
];
