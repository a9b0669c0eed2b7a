/** Resources of the admin API: a vendor's models, and what was put on sale. */
import { z } from "zod";
import { modelKinds } from "@/server/domain/enums";
import { offers } from "@/server/operations";
import { Money, Time } from "./shapes";

const Prices = z.array(z.object({ name: z.string(), price: Money }));

const Offers = z.object({
  failure: z
    .object({
      reason: z.string().describe("`none`: the vendor has no list that requests could use"),
      status: z.number().int().nullable(),
      message: z.string(),
    })
    .nullable()
    .describe("Why the vendor's models could not be listed; null: they were"),
  currency: z.string().describe("The currency of the list prices"),
  list: z
    .object({ currency: z.string(), source: z.string(), date: z.string() })
    .nullable()
    .describe("The stored price list of the vendor; null: there is none"),
  offers: z.array(
    z.object({
      upstreamName: z.string(),
      modelId: z.string().describe("The name for clients"),
      kind: z.enum(modelKinds),
      stand: z
        .enum(offers.stands)
        .describe(
          "`new`: not in the catalog; `unpriced`: without a price; `onSale`: keeps its price; `off`: disabled; `otherKind`: the name belongs to a model of another kind",
        ),
      isServed: z.boolean().describe("Whether the channel serves it already"),
      isSnapshot: z.boolean().describe("A dated name of another model in the list"),
      contextWindow: z.number().int().nullable(),
      maxOutputTokens: z.number().int().nullable(),
      listPrices: Prices.describe("Empty: unknown"),
      prices: Prices.describe("Its current prices; empty: none"),
    }),
  ),
});

const changedNames = z.array(z.string()).describe("As the vendor spells them");

export const offerResources = {
  ModelCheck: z.object({
    channelId: z.string(),
    channel: z.string().describe("The name of the channel"),
    everyDays: z.number().int(),
    dueAt: Time,
    checkedAt: Time.nullable().describe("null: the vendor has not listed its models yet"),
    failure: z.string().nullable().describe("Why the last check failed; null: it did not"),
    newModels: changedNames,
    goneModels: changedNames.describe("Models of the channel that the vendor no longer lists"),
  }),
  Offers,
  ChannelOffers: Offers.extend({
    gone: z.array(z.string()).describe("Models of the channel that the vendor does not list any more"),
  }),
  Sale: z.object({
    channelId: z.string(),
    channel: z.string().describe("The name of the channel"),
    onSale: z.array(z.string()).describe("Models that clients can use now"),
    unpriced: z.array(z.string()).describe("Models without a price, which clients cannot use yet"),
  }),
};
