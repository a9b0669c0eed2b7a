import { z } from "zod";
import { systemClock } from "@/server/base/clock";
import { inDecimals } from "@/server/base/money";
import { listCatalog, listVendors, priceListOf, priceRows } from "@/server/catalog";
import { type Channel, listChannels, listNameOf } from "@/server/channels";
import { Moment } from "@/server/operations/schema";
import type { PriceSheet } from "@/server/pricing";
import { paidPrices } from "./paid-prices";
import { query } from "./query";

type Listed = { vendor: string; currency: string; date: string; prices: PriceSheet };

/** The public price of a model: from the first list that has it, of the vendors that serve it or of the vendor that made it. */
function listedOf(model: { id: string; ownedBy: string }, channels: readonly Channel[]): Listed | null {
  const sellers = [
    ...channels.flatMap((channel) => {
      const name = channel.models[model.id];
      return name === undefined ? [] : [{ vendor: listNameOf(channel), names: [name, model.id] }];
    }),
    { vendor: model.ownedBy, names: [model.id] },
  ];
  for (const { vendor, names } of sellers) {
    const listVendor = listVendors.find((each) => each === vendor);
    const list = listVendor && priceListOf(listVendor);
    const [prices] = list ? names.flatMap((name) => list.find(name) ?? []) : [];
    if (listVendor && list && prices) {
      return { vendor: listVendor, currency: list.currency, date: list.date, prices };
    }
  }
  return null;
}

/**
 * Each price of each model, now or at a moment, with its vendor's list price and the highest cost at a channel in use.
 */
export const list = query({
  needs: "costs.read",
  input: z.strictObject({
    at: Moment.optional().describe("The time for which prices are shown; default: now"),
  }),
  read: async ({ db }, { at = systemClock() }) => {
    const channels = await listChannels(db);
    const paid = await paidPrices(db, channels);
    return (await listCatalog(db, at)).flatMap((entry) => {
      const { id: modelId, kind, ownedBy, isEnabled, isFree } = entry;
      const listed = listedOf(entry, channels);
      const rows = priceRows(entry, { listed: listed?.prices ?? null, paid: paid.get(modelId) ?? [] });
      return rows.map(({ list: price, ...row }) => ({
        ...{ modelId, kind, ownedBy, isEnabled, isFree },
        ...inDecimals(row),
        list:
          listed && price !== null
            ? inDecimals({ price, vendor: listed.vendor, currency: listed.currency, date: listed.date })
            : null,
      }));
    });
  },
});
