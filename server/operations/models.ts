import { z } from "zod";
import { inDecimals } from "@/server/base/money";
import { createModel, getModel, lockModel, saveModel } from "@/server/catalog";
import { ConditionalName, isOncePerName, ModelChange } from "@/server/catalog/schema";
import { eachPrice, fieldsOf } from "@/server/pricing";
import { operation } from "./operation";
import { Money } from "./schema";

type ModelEntry = Awaited<ReturnType<typeof getModel>>;

const VideoPrice = z.strictObject({
  durationSeconds: z.number().int(),
  resolution: z.string().max(16),
  price: Money,
});

const UnitPrice = z.strictObject({
  unit: z
    .string()
    .max(64)
    .describe("Such as `web_search`, `image:1024x1024:high`, or `character` (per million)"),
  price: Money,
});

/** The terms of a model as they are sent. */
const Terms = ModelChange.extend({
  ...eachPrice(
    () => Money.optional().describe("Per million tokens"),
    ({ follows }) => Money.nullable().optional().describe(`Per million tokens; null: same as ${follows}`),
  ),
  videoPrices: z
    .array(VideoPrice)
    .max(1_000)
    .optional()
    .describe("All combinations; others are not for sale"),
  unitPrices: z
    .array(UnitPrice)
    .max(100)
    .optional()
    .describe("All prices of units other than tokens; units that are not in the list are free"),
  conditionalPrices: z
    .array(z.strictObject({ name: ConditionalName, price: Money }))
    .max(200)
    .refine(isOncePerName, "a name has one price")
    .optional()
    .describe(
      "All prices with conditions, such as `input@200k` (prompts above 200,000 tokens), `output@priority` (service tier) or " +
        "`input@16:30-00:30` (requests that start in this part of the day, UTC)",
    ),
});

/** A model as entered: decimals in currency units per million tokens, or per video. null: inherited. */
export const view = ({ createdAt: _, prices, ...entry }: ModelEntry) =>
  inDecimals({ ...entry, ...fieldsOf(prices) });

/** A grid by combination, so that the log shows the cells that changed. */
const recordOf = ({
  id: _,
  videoPrices,
  unitPrices,
  conditionalPrices,
  ...entry
}: ReturnType<typeof view>) => ({
  ...entry,
  unitPrices: Object.fromEntries(unitPrices.map(({ unit, price }) => [unit, price])),
  ...(conditionalPrices.length > 0 && {
    conditionalPrices: Object.fromEntries(conditionalPrices.map(({ name, price }) => [name, price])),
  }),
  videoPrices: Object.fromEntries(
    videoPrices.map(({ durationSeconds, resolution, price }) => [`${durationSeconds}:${resolution}`, price]),
  ),
});

/** `before` is null for a new model. */
export const change = (before: ModelEntry | null, after: ModelEntry) => ({
  action: "model.save" as const,
  accountId: null,
  target: { id: after.id, name: after.id },
  ...(before && { before: recordOf(view(before)) }),
  after: recordOf(view(after)),
  result: view(after),
});

/** Members that are left out get the defaults of a new model. */
export const create = operation({
  needs: "prices.write",
  input: Terms,
  run: async ({ db, actor }, input) => {
    await createModel(db, input, actor.name);
    return change(null, await getModel(db, input.id));
  },
});

/** Members that are not named stay. The kind never changes: the ledger's charges depend on it. */
export const update = operation({
  needs: "prices.write",
  input: Terms.partial({ kind: true }),
  run: async ({ db, actor }, input) => {
    const before = await lockModel(db, input.id);
    // Another kind is refused.
    await saveModel(db, { ...input, kind: input.kind ?? before.kind }, actor.name);
    return change(before, await getModel(db, input.id));
  },
});
