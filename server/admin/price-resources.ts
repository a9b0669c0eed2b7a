/** Resources of the admin API: prices, price lists, costs and margins. */
import { z } from "zod";
import { marginGroups, modelKinds } from "@/server/domain/enums";
import { ConditionalPrices, Money, Time, tokenPrices } from "./shapes";

const count = z.number().int();

const ListedPrices = z.object({ ...tokenPrices, conditionalPrices: ConditionalPrices });

const Prices = z.array(z.object({ name: z.string(), price: Money }));

const Dated = z.object({
  beginsAt: Time,
  isFree: z.boolean(),
  prices: Prices.describe("Prices that are set; a token class without one costs the same as input"),
  enteredBy: z.string().nullable().describe("null: the gateway itself, or unknown"),
});

const Earned = z.object({
  calls: count.describe("Requests with known cost"),
  amount: Money.describe("Revenue from these requests"),
  cost: Money.describe("Channel costs of these requests"),
  margin: Money.describe("Revenue minus cost"),
});
const Compared = Earned.extend({ before: Earned.describe("In the previous period") });

const Charged = z.object({ calls: count, amount: Money });

const OfChannel = z.object({
  channelId: z.string(),
  channel: z.string().describe("The name of the channel"),
});

const ModelCost = OfChannel.extend({ modelId: z.string(), prices: Prices });

const ListedCost = ModelCost.extend({
  below: z.array(z.string()).describe("Prices below cost"),
});

const CostImport = OfChannel.extend({
  vendor: z.string(),
  source: z.string().describe("The source of the list"),
  date: z.string().describe("The date of the list"),
  models: z.array(z.object({ modelId: z.string(), prices: Prices })),
  notListed: z.array(z.string()).describe("Models that are not on the list; their cost prices stay the same"),
});

const Margin = z.object({
  by: z.enum(marginGroups),
  start: Time,
  end: Time,
  total: Compared,
  unknown: Charged.extend({ before: Charged }).describe(
    "Requests without a known cost; not included in any other figure",
  ),
  rows: z
    .array(Compared.extend({ id: z.string(), name: z.string() }))
    .describe("The 100 with the highest revenue, highest first"),
});

const ListedPrice = z.object({
  modelId: z.string(),
  kind: z.enum(modelKinds),
  ownedBy: z.string(),
  isEnabled: z.boolean(),
  isFree: z.boolean(),
  name: z.string().describe("`input`, a unit such as `request`, or `video:5:720p`"),
  price: Money.nullable().describe("null: not set"),
  list: z
    .object({ price: Money, vendor: z.string(), currency: z.string(), date: z.string() })
    .nullable()
    .describe("From the public list of the vendor that serves or owns the model, in the list's currency"),
  cost: z
    .object({ price: Money, channel: z.string() })
    .nullable()
    .describe("At the most expensive enabled channel"),
});

const Estimated = z.object({
  charged: Money.describe("The actual charges of the month"),
  repriced: Money.describe("The charges at the given prices"),
  difference: Money,
});

const PriceEstimate = z.object({
  period: z.string().describe("The previous month"),
  models: z.array(
    Estimated.extend({
      modelId: z.string(),
      calls: count,
      videos: count.describe("Videos among these requests, which count at the amount charged"),
    }),
  ),
  total: Estimated,
});

const PriceFilePreview = z.object({
  changes: z.array(
    z.object({
      line: count,
      modelId: z.string(),
      name: z.string(),
      beginsAt: Time.nullable().describe("null: now"),
      before: Money.nullable().describe("The price before the change; null: not set"),
      after: Money.nullable(),
    }),
  ),
  unchanged: count.describe("Lines that match current prices"),
  problems: z
    .array(
      z.object({ line: count, problem: z.string(), value: z.string().describe("The value in the file") }),
    )
    .describe("Invalid lines; nothing can be imported while there are any"),
});

const GroupTerms = z.object({
  id: z.string(),
  name: z.string(),
  factor: z.string().describe("The factor for every price"),
  models: z
    .array(z.object({ modelId: z.string(), factor: z.string() }))
    .describe("Models with their own factor, which replaces that of the group"),
});

export const priceResources = {
  PriceGroup: GroupTerms.extend({
    accounts: count.describe("The number of accounts in the group"),
    belowCost: z
      .array(z.string())
      .describe("Models that the group prices below the cost of an enabled channel"),
    createdAt: Time,
  }),
  ChangedPriceGroup: GroupTerms,
  PriceEstimate,
  PriceFile: z.object({ csv: z.string() }),
  PriceFilePreview,
  PriceFileImport: z.object({
    models: z
      .array(z.object({ modelId: z.string(), beginsAt: Time.nullable(), prices: Prices }))
      .describe("The changed prices and when they take effect; null: now"),
  }),
  PriceList: z.object({
    vendor: z.string(),
    currency: z.string(),
    source: z.string().describe("The source of the list"),
    date: z.string().describe("The date of the list"),
  }),
  PriceImport: z.object({
    source: z.string().describe("The source of the list"),
    date: z.string().describe("The date of the list"),
    changed: z.array(
      z.object({
        id: z.string(),
        isNew: z.boolean().describe("A model that a channel serves and the catalog lacked"),
        before: ListedPrices,
        after: ListedPrices,
      }),
    ),
    unchanged: z.array(z.string()).describe("Models that already have these prices"),
    notListed: z.array(z.string()).describe("Models that are not on the list and keep their prices"),
  }),
  ModelPrice: Dated.extend({
    state: z.enum(["past", "present", "scheduled"]),
    endsAt: Time.nullable().describe("When the next price takes effect; null: none is scheduled"),
  }),
  ScheduledPrice: Dated.extend({ modelId: z.string() }),
  SetPrices: z.object({
    beginsAt: Time.nullable().describe("null: now"),
    models: z
      .array(z.object({ modelId: z.string(), prices: Prices }))
      .describe("The models whose prices changed"),
  }),
  CostCopy: OfChannel.extend({
    from: z.string().describe("The name of the other channel"),
    models: z.array(z.object({ modelId: z.string(), prices: Prices })),
  }),
  CostImport,
  ListedCost,
  ListedPrice,
  Margin,
  ModelCost,
};
