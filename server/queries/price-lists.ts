import { priceListOperations } from "@/server/operations";
import { query } from "./query";

/** What importing a vendor's list would change, and what not. */
export const preview = query({
  by: ["operator"],
  input: priceListOperations.Terms,
  read: async ({ db, config }, terms) =>
    priceListOperations.told(await priceListOperations.plan(db, config.CURRENCY, terms)),
});
