/** Resources of the admin API: prices, price lists, costs and margins. */
import { z } from "zod";
import { marginGroups, modelKinds } from "@/server/base/enums";
import { Money, Time } from "./shapes";

const count = z.number().int();

/** In the names of the API's document. */
const ListedPrices = z.object({
  inputPrice: Money,
  outputPrice: Money,
  cacheReadPrice: Money.nullable().describe("null: what input costs"),
  cacheWritePrice: Money.nullable(),
  cacheWrite1hPrice: Money.nullable(),
});

const Prices = z.array(z.object({ name: z.string(), price: Money }));

const Dated = z.object({
  beginsAt: Time,
  isFree: z.boolean(),
  prices: Prices.describe("Those of its own: a class of tokens without one costs what input does"),
  enteredBy: z.string().nullable().describe("null: the gateway itself, or nobody knows"),
});

const Earned = z.object({
  calls: count.describe("Those of which it is known what they cost"),
  amount: Money.describe("What they were charged"),
  cost: Money.describe("What their channels were to be paid"),
  margin: Money.describe("What is left of it"),
});
const Compared = Earned.extend({ before: Earned.describe("In the span before") });

const Charged = z.object({ calls: count, amount: Money });

const OfChannel = z.object({ channelId: z.string(), channel: z.string().describe("Its name") });

const ModelCost = OfChannel.extend({ modelId: z.string(), prices: Prices });

const ListedCost = ModelCost.extend({
  below: z.array(z.string()).describe("What of it is sold for less"),
});

const CostImport = OfChannel.extend({
  vendor: z.string(),
  source: z.string().describe("Where the list was read"),
  date: z.string().describe("And when"),
  models: z.array(z.object({ modelId: z.string(), prices: Prices })),
  notListed: z.array(z.string()).describe("Models that are not on the list: what was said of them stays"),
});

const Margin = z.object({
  by: z.enum(marginGroups),
  start: Time,
  end: Time,
  total: Compared,
  unknown: Charged.extend({ before: Charged }).describe(
    "What was charged for calls of which nobody has said what they cost; in no other figure",
  ),
  rows: z
    .array(Compared.extend({ id: z.string(), name: z.string() }))
    .describe("The 100 that were charged most, the most first"),
});

const ListedPrice = z.object({
  modelId: z.string(),
  kind: z.enum(modelKinds),
  ownedBy: z.string(),
  isEnabled: z.boolean(),
  isFree: z.boolean(),
  name: z.string().describe("`input`, a unit such as `request`, or `video:5:720p`"),
  price: Money.nullable().describe("null: none of its own"),
  list: z
    .object({ price: Money, vendor: z.string(), currency: z.string(), date: z.string() })
    .nullable()
    .describe("Of the public list of who serves or owns the model, in the list's currency"),
  cost: z
    .object({ price: Money, channel: z.string() })
    .nullable()
    .describe("At the enabled channel that is paid most"),
});

const Estimated = z.object({
  charged: Money.describe("What the month's calls were charged"),
  repriced: Money.describe("What they would have been charged"),
  difference: Money,
});

const PriceEstimate = z.object({
  period: z.string().describe("The month before the one under way"),
  models: z.array(
    Estimated.extend({
      modelId: z.string(),
      calls: count,
      videos: count.describe("Of these, which count as they were charged"),
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
      beginsAt: Time.nullable().describe("null: at once"),
      before: Money.nullable().describe("By then; null: none of its own"),
      after: Money.nullable(),
    }),
  ),
  unchanged: count.describe("Lines that say what is so already"),
  problems: z
    .array(z.object({ line: count, problem: z.string(), value: z.string().describe("What stands there") }))
    .describe("Every line that is wrong; with any of them nothing can be imported"),
});

const GroupTerms = z.object({
  id: z.string(),
  name: z.string(),
  factor: z.string().describe("What every price is multiplied by"),
  models: z
    .array(z.object({ modelId: z.string(), factor: z.string() }))
    .describe("Models that have a factor of their own, which takes the place of the group's"),
});

export const priceResources = {
  PriceGroup: GroupTerms.extend({
    accounts: count.describe("How many pay its prices"),
    belowCost: z.array(z.string()).describe("Models that it sells for less than a channel in use is paid"),
    createdAt: Time,
  }),
  ChangedPriceGroup: GroupTerms,
  PriceEstimate,
  PriceFile: z.object({ csv: z.string() }),
  PriceFilePreview,
  PriceFileImport: z.object({
    models: z
      .array(z.object({ modelId: z.string(), beginsAt: Time.nullable(), prices: Prices }))
      .describe("Those that changed, and when: null is at once"),
  }),
  PriceList: z.object({
    vendor: z.string(),
    currency: z.string(),
    source: z.string().describe("Where the list was read"),
    date: z.string().describe("And when"),
  }),
  PriceImport: z.object({
    source: z.string().describe("Where the list was read"),
    date: z.string().describe("And when"),
    changed: z.array(z.object({ id: z.string(), before: ListedPrices, after: ListedPrices })),
    unchanged: z.array(z.string()).describe("Models that have these prices already"),
    notListed: z.array(z.string()).describe("Models that are not on the list, and keep their prices"),
  }),
  ModelPrice: Dated.extend({
    state: z.enum(["past", "present", "scheduled"]),
    endsAt: Time.nullable().describe("When the next one begins; null: none is entered"),
  }),
  ScheduledPrice: Dated.extend({ modelId: z.string() }),
  SetPrices: z.object({
    beginsAt: Time.nullable().describe("null: at once"),
    models: z.array(z.object({ modelId: z.string(), prices: Prices })).describe("Those that changed"),
  }),
  CostImport,
  ListedCost,
  ListedPrice,
  Margin,
  ModelCost,
};
