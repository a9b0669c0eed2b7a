/** Resources of the admin API: usage. */
import { z } from "zod";
import { usageGroups } from "@/server/base/enums";
import { pointUnits } from "@/server/billing";
import { Money, Time } from "./shapes";

const count = z.number().int();

const Sums = z.object({
  calls: count.describe("Those that were charged"),
  amount: Money,
  inputTokens: count.describe("Of every class"),
  outputTokens: count,
  cachedTokens: count.describe("Of the input, what was read from a cache"),
  cachedOfTokens: count.describe(
    "The input of which that is known; less only where a release before summed it up",
  ),
});

const Compared = Sums.extend({ before: Sums.describe("In the span before") });

export const Usage = z.object({
  by: z.enum(usageGroups),
  start: Time,
  end: Time,
  before: z
    .object({ start: Time, end: Time })
    .describe("The span before; of one that is under way as much as has passed of it"),
  total: Compared,
  rows: z
    .array(
      Compared.extend({
        id: z.string().describe("By `key_model`: the key's, a space, and the model's"),
        name: z.string().describe("Empty: it had none"),
      }),
    )
    .describe("The 100 dearest, the dearest first"),
  others: Compared.nullable().describe("All that is in no row; null: everything is"),
  chart: z.object({
    unit: z.enum(pointUnits),
    points: z
      .array(z.string())
      .describe("Hours in UTC (`2026-05-31T08`), days (`2026-05-31`) or months in the billing zone"),
    series: z.array(
      z.object({
        id: z.string().nullable().describe("One of the dearest rows; null: all others"),
        points: z.array(z.object({ calls: count, amount: Money, tokens: count })),
      }),
    ),
  }),
});
