import { z } from "zod";
import { listVendors, priceListOf } from "@/server/catalog";
import { priceListOperations } from "@/server/operations";
import { query } from "./query";

/** What importing a vendor's list would change, and what not. */
export const preview = query({
  needs: "staff.read",
  input: priceListOperations.Terms,
  read: async ({ db, config }, terms) =>
    priceListOperations.told(await priceListOperations.plan(db, config.CURRENCY, terms)),
});

/** The lists that there are: whose, in which currency, where they were read and when. */
export const list = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async () =>
    listVendors.map((vendor) => {
      const { currency, source, date } = priceListOf(vendor);
      return { vendor, currency, source, date };
    }),
});
