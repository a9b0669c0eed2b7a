/** Resources of the admin API: usage. */
import { z } from "zod";
import { pointUnits } from "@/server/billing";
import { usageGroups } from "@/server/domain/enums";
import { Money, Time } from "./shapes";

const count = z.number().int();

const Sums = z.object({
  calls: count.describe("Charged requests"),
  amount: Money,
  inputTokens: count.describe("Of all classes"),
  outputTokens: count,
  cachedTokens: count.describe("The input tokens read from a cache"),
  cachedOfTokens: count.describe(
    "The input tokens for which cache reads are known; lower than the input only for data from earlier releases",
  ),
});

const Compared = Sums.extend({ before: Sums.describe("In the previous period") });

export const Usage = z.object({
  by: z.enum(usageGroups),
  start: Time,
  end: Time,
  before: z
    .object({ start: Time, end: Time })
    .describe("The previous period; for a period in progress, the same part of it"),
  total: Compared,
  rows: z
    .array(
      Compared.extend({
        id: z.string().describe("For `key_model`: the ID of the key, a space, and the ID of the model"),
        name: z.string().describe("Empty: no name"),
      }),
    )
    .describe("The 100 with the highest spend, highest first"),
  others: Compared.nullable().describe("The sum of everything that is not in a row; null: nothing"),
  chart: z.object({
    unit: z.enum(pointUnits),
    points: z
      .array(z.string())
      .describe("Hours in UTC (`2026-05-31T08`), or days (`2026-05-31`) or months in the billing time zone"),
    series: z.array(
      z.object({
        id: z.string().nullable().describe("The ID of one of the top rows; null: all others"),
        points: z.array(z.object({ calls: count, amount: Money, tokens: count })),
      }),
    ),
  }),
});
