import { paymentOperations } from "@/server/operations";
import { paymentQueries } from "@/server/queries";
import { operates, page, type Route, reads, resource } from "./route";
import { act, get } from "./verbs";

/** Routes of payments by customers. */
export const paymentRoutes: readonly Route[] = [
  get("/payments", "List payments", reads(paymentQueries.list, page("Payment"))),
  get("/payments/{payment_id}", "Show a payment", reads(paymentQueries.get, resource("Payment"))),
  // The answer is not kept for repeats: the call to the provider is outside the transaction that would keep it.
  act(
    "/accounts/{account_id}/payments",
    "Create a payment page at the provider for an account's top-up",
    operates(paymentOperations.create, resource("NewPayment")),
  ),
];
