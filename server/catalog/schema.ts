/** A model's members that an operator may set. Forms use the same checks, so this file needs nothing of the server but pure rules. */

import { z } from "zod";
import { modalities, modelKinds, routings } from "@/server/domain/enums";
import { isUnit } from "@/server/domain/units";
import { eachPrice, hasConditions, isPriceName, type PriceName } from "@/server/pricing";

/** Nano-units: below a million currency units. */
const Price = z
  .bigint()
  .nonnegative()
  .lt(10n ** 15n)
  .brand<"Nanos">();

/** Combinations outside spec 4.5 may have a price, but no client can request them. */
const VideoPrice = z.strictObject({
  durationSeconds: z.number().int().min(1).max(9_999),
  resolution: z.string().regex(/^\w{1,16}$/),
  price: Price,
});

const UnitPriceTerm = z.strictObject({
  unit: z.string().max(64).refine(isUnit, "no unit: see docs/prices.md"),
  price: Price,
});

const isOncePerUnit = (prices: z.infer<typeof UnitPriceTerm>[]) =>
  new Set(prices.map(({ unit }) => unit)).size === prices.length;

/** The name of a price with conditions, such as `input@200k`. */
export const ConditionalName = z
  .string()
  .max(64)
  .refine(
    (text): text is PriceName => isPriceName(text) && hasConditions(text),
    "no condition: see docs/prices.md",
  );

/** Each call reads all of a model's prices with conditions. */
export const MOST_CONDITIONAL = 200;

export const isOncePerName = (prices: { name: string }[]) =>
  new Set(prices.map(({ name }) => name)).size === prices.length;

const isOncePerCombination = (grid: z.infer<typeof VideoPrice>[]) =>
  new Set(grid.map(({ durationSeconds, resolution }) => `${durationSeconds} ${resolution}`)).size ===
  grid.length;

/** Each once, in a fixed order. null: unknown. */
const Modalities = z
  .array(z.enum(modalities))
  .min(1)
  .max(modalities.length)
  .transform((names) => modalities.filter((modality) => names.includes(modality)))
  .nullable()
  .optional();

/** A member that is left out stays as it is, or gets the default in a new model. */
export const ModelChange = z.strictObject({
  id: z
    .string()
    .min(1)
    .max(256)
    .regex(/^\P{Cc}*$/u, "an identifier has no control characters"),
  kind: z.enum(modelKinds),
  ownedBy: z.string().trim().min(1).max(100).optional(),
  isEnabled: z.boolean().optional(),
  isFree: z
    .boolean()
    .optional()
    .describe("Requests are free. Setting it removes all prices; setting a price above 0 turns it off"),
  routing: z
    .enum(routings)
    .optional()
    .describe(
      "How channels are ordered within a priority: `weight`; `affinity`, one conversation stays on one " +
        "credential, for the vendor's prompt cache; `fastest`, the fastest recent responses first; `cheapest`, the lowest cost price first",
    ),
  hedgeAfterMs: z
    .number()
    .int()
    .min(100)
    .max(60_000)
    .nullable()
    .optional()
    .describe(
      "Milliseconds after which a stream that has not started is also requested from the next channel: the first to " +
        "start is used and charged, and you pay the vendors for both; null: never",
    ),
  maxOutputTokens: z
    .number()
    .int()
    .min(0)
    .max(100_000_000)
    .optional()
    .describe("The maximum output tokens of a response"),
  contextWindow: z
    .number()
    .int()
    .min(1)
    .max(100_000_000)
    .nullable()
    .optional()
    .describe("Tokens of prompt and response together; null: unknown"),
  inputModalities: Modalities.describe("Supported input types; null: unknown"),
  outputModalities: Modalities.describe("Supported output types; null: unknown"),
  hasTools: z.boolean().nullable().optional().describe("Whether it supports tool calling; null: unknown"),
  hasThinking: z.boolean().nullable().optional().describe("Whether it supports reasoning; null: unknown"),
  ...eachPrice(
    () => Price.optional(),
    () => Price.nullable().optional(),
  ),
  /** The whole grid: a combination that is not in it is not sold. */
  videoPrices: z
    .array(VideoPrice)
    .max(1_000)
    .refine(isOncePerCombination, "a combination has one price")
    .optional(),
  /** The whole list: the model is sold by tokens and these units only. */
  unitPrices: z.array(UnitPriceTerm).max(100).refine(isOncePerUnit, "a unit has one price").optional(),
  /** The whole list. */
  conditionalPrices: z
    .array(z.strictObject({ name: ConditionalName, price: Price }))
    .max(MOST_CONDITIONAL)
    .refine(isOncePerName, "a name has one price")
    .optional(),
});
export type ModelChange = z.infer<typeof ModelChange>;
