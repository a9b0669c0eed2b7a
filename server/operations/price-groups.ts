/** Price groups: the usual prices times a factor, for some accounts. */
import { z } from "zod";
import { setPriceGroup } from "@/server/access";
import {
  createPriceGroup,
  type GroupTerms,
  getModel,
  getPriceGroup,
  lockGroupInUse,
  MOST_MODEL_FACTORS,
  removePriceGroup,
  updatePriceGroup,
} from "@/server/catalog";
import { formatFactor, parseFactor } from "@/server/domain/factor";
import { looksLikeId } from "@/server/domain/ids";
import { operation, type TxContext } from "./operation";
import { ModelId } from "./prices";
import { AccountId, Id } from "./schema";

/** A price below a million times this factor can be stored. */
const MAX_FACTOR = 1_000n * 1_000_000n;

const Factor = z
  .string()
  .max(12)
  .transform((text, context) => {
    const factor = parseFactor(text);
    if (factor === null || factor > MAX_FACTOR) {
      context.addIssue({
        code: "custom",
        message: "a factor is above 0, at most 1000, with up to 6 decimals",
      });
      return z.NEVER;
    }
    return factor;
  });

/** The word for "no group" in commands and inputs. */
export const NO_GROUP = "none";

const Name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(
    (name) => !looksLikeId(name) && name !== NO_GROUP,
    "a name must not look like an identifier, or be `none`",
  );

const ModelFactors = z
  .array(z.strictObject({ modelId: ModelId, factor: Factor }))
  .max(MOST_MODEL_FACTORS)
  .refine((all) => new Set(all.map(({ modelId }) => modelId)).size === all.length, "a model is named once")
  .describe("All models with their own factor, which replaces that of the group");

const DescribedFactor = Factor.describe(
  "The factor for every price, such as `0.8`; results are rounded up to nine decimals",
);

type PriceGroupInput = {
  name?: string | undefined;
  factor?: bigint | undefined;
  models?: z.output<typeof ModelFactors> | undefined;
};

/** Throws Refusal for an unknown model: its name is probably misspelt. */
async function termsOf({ db }: TxContext, { models, ...terms }: PriceGroupInput) {
  for (const { modelId } of models ?? []) {
    await getModel(db, modelId);
  }
  return {
    ...terms,
    ...(models && { modelFactors: new Map(models.map(({ modelId, factor }) => [modelId, factor])) }),
  };
}

/** A group as it is sent. */
export const viewOf = ({ name, factor, modelFactors }: GroupTerms) => ({
  name,
  factor: formatFactor(factor),
  models: [...modelFactors].map(([modelId, own]) => ({ modelId, factor: formatFactor(own) })),
});

const change = (action: "create" | "update" | "remove", { id, name }: { id: string; name: string }) => ({
  action: `price_group.${action}` as const,
  accountId: null,
  target: { id, name },
});

export const create = operation({
  needs: "prices.write",
  input: z.strictObject({ name: Name, factor: DescribedFactor, models: ModelFactors.optional() }),
  run: async (call, input) => {
    const { name, factor, modelFactors = new Map() } = await termsOf(call, input);
    const group = await createPriceGroup(call.db, { name: name ?? "", factor: factor ?? 0n, modelFactors });
    const after = viewOf(group);
    return { ...change("create", group), after, result: { id: group.id, ...after } };
  },
});

/** Members that are left out stay. */
export const update = operation({
  needs: "prices.write",
  input: z.strictObject({
    priceGroupId: Id,
    name: Name.optional(),
    factor: DescribedFactor.optional(),
    models: ModelFactors.optional(),
  }),
  run: async (call, { priceGroupId, ...input }) => {
    const before = await updatePriceGroup(call.db, { id: priceGroupId, ...(await termsOf(call, input)) });
    const group = await getPriceGroup(call.db, priceGroupId);
    const after = viewOf(group);
    return { ...change("update", group), before: viewOf(before), after, result: { id: group.id, ...after } };
  },
});

/** Removes a group whose prices no account pays. */
export const remove = operation({
  needs: "prices.write",
  input: z.strictObject({ priceGroupId: Id }),
  run: async ({ db }, { priceGroupId }) => {
    const before = await removePriceGroup(db, priceGroupId);
    return { ...change("remove", before), before: viewOf(before), result: null };
  },
});

/** For calls that begin from then on. */
export const assign = operation({
  needs: "prices.write",
  input: z.strictObject({
    accountId: AccountId,
    priceGroupId: Id.nullable().describe("The price group of the account; null: standard prices"),
  }),
  run: async ({ db }, { accountId, priceGroupId }) => {
    const group = priceGroupId === null ? null : await lockGroupInUse(db, priceGroupId);
    const account = await setPriceGroup(db, { accountId, priceGroupId: group?.id ?? null });
    const former = account.priceGroupId && (await getPriceGroup(db, account.priceGroupId)).name;
    return {
      action: "account.set_price_group" as const,
      accountId,
      target: { id: account.id, name: account.name },
      before: { priceGroup: former },
      after: { priceGroup: group?.name ?? null },
      result: null,
    };
  },
});
