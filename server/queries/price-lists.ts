import { z } from "zod";
import { listVendors, priceListOf } from "@/server/catalog";
import { priceListOperations } from "@/server/operations";
import { query } from "./query";

/** The changes that importing a vendor's list would make, and the models that it would leave unchanged. */
export const preview = query({
  needs: "staff.read",
  input: priceListOperations.PriceImportRequest,
  read: async ({ db, config }, terms) =>
    priceListOperations.planView(await priceListOperations.plan(db, config.CURRENCY, terms)),
});

/** The available lists: vendor, currency, source and date. */
export const list = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async () =>
    listVendors.map((vendor) => {
      const { currency, source, date } = priceListOf(vendor);
      return { vendor, currency, source, date };
    }),
});
