/** Sets prices of models from their vendors' public lists, times the operator's factor. */
import { z } from "zod";
import { inDecimals, type Nanos } from "@/server/base/money";
import { getModel, listCatalog, listVendors, lockModel, priceListOf, saveModel } from "@/server/catalog";
import { listChannels } from "@/server/channels";
import type { Db } from "@/server/db";
import { markUp, parseFactor, stepOf } from "@/server/domain/factor";
import { Refusal } from "@/server/domain/refusal";
import {
  areSameSheets,
  fieldsOf,
  isNoPrice,
  type PriceSheet,
  scale,
  tokensOnly,
  toSheet,
  withoutTokens,
} from "@/server/pricing";
import { change } from "./models";
import { operation } from "./operation";

export const Factor = z
  .string()
  .max(20)
  .transform((text, { addIssue }) => {
    const factor = parseFactor(text);
    if (factor === null) {
      addIssue("a factor is above 0, with at most 4 digits before its point and 6 behind it");
      return z.NEVER;
    }
    return { factor, text };
  });

const UNIT_DECIMALS = 9;

type FactorInput = z.output<typeof Factor> | undefined;

/** The factors for a list's prices. Throws Refusal if the list is in another currency and no rate is given. */
export function factorsOf(
  { list, own }: { list: { currency: string }; own: string },
  { factor, rate }: { factor: FactorInput; rate: FactorInput },
): bigint[] {
  const isForeign = list.currency !== own;
  if (isForeign && !rate) {
    throw new Refusal(
      `the list is in ${list.currency} and your currency is ${own}: give the exchange rate (rate)`,
      "priceListCurrency",
      { list: list.currency, own },
    );
  }
  return [...(factor ? [factor.factor] : []), ...(isForeign && rate ? [rate.factor] : [])];
}

/** How a vendor's list becomes prices. */
export const PriceImportRequest = z.strictObject({
  vendor: z.enum(listVendors),
  factor: Factor.optional().describe("The factor for the list price, such as `1.2`; default `1`"),
  rate: Factor.optional().describe(
    "The price of one unit of the list's currency in your currency; required only if they differ, and otherwise not allowed",
  ),
  decimals: z
    .number()
    .int()
    .min(0)
    .max(UNIT_DECIMALS)
    .optional()
    .describe("Decimals to which prices are rounded up; default 9, the maximum"),
  models: z
    .array(z.string().min(1).max(256))
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      "Only these models; default: all models with token prices that are on the list, except free ones",
    ),
});
type Terms = z.output<typeof PriceImportRequest>;

/** The prices of a model's tokens, and those that it gets. */
type Planned = { id: string; before: PriceSheet; after: PriceSheet };
type PriceListPlan = {
  planned: Planned[];
  isSame: string[];
  notListed: string[];
  source: string;
  date: string;
};

/** The vendor's names of each model that its own channels serve, by model. */
async function vendorsNames(db: Db, vendor: string): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  for (const channel of await listChannels(db)) {
    for (const [id, name] of channel.vendor === vendor ? Object.entries(channel.models) : []) {
      names.set(id, [...(names.get(id) ?? []), name]);
    }
  }
  return names;
}

const isSet = ([name, price]: readonly [string, Nanos]): boolean => !isNoPrice(name, price);

/** The list's prices times factors. */
export const markUpAll = (listed: PriceSheet, factors: readonly bigint[], step: bigint): PriceSheet =>
  scale(listed, (price) => markUp(price, factors, step));

/** Throws Refusal if the list is in another currency and no rate is given, or if a model is unknown. */
export async function plan(db: Db, currency: string, terms: Terms): Promise<PriceListPlan> {
  const { source, date, find, ...list } = priceListOf(terms.vendor);
  const factors = factorsOf({ list, own: currency }, { factor: terms.factor, rate: terms.rate });
  const step = stepOf(terms.decimals);
  const modelIds = terms.models && new Set(terms.models);
  const entries = await listCatalog(db);
  const unknown = terms.models?.find((id) => entries.every((entry) => entry.id !== id));
  if (unknown !== undefined) {
    throw new Refusal(`model "${unknown}" does not exist`, "modelUnknown");
  }
  const names = await vendorsNames(db, terms.vendor);
  const result: PriceListPlan = { planned: [], isSame: [], notListed: [], source, date };
  for (const entry of entries.filter(({ id, isFree }) => (modelIds ? modelIds.has(id) : !isFree))) {
    const { id, kind } = entry;
    const isByToken = kind === "chat" || kind === "embedding";
    const [listed] = isByToken ? [...(names.get(id) ?? []), id].flatMap((name) => find(name) ?? []) : [];
    const before = tokensOnly(entry.prices);
    const after = listed && toSheet([...markUpAll(listed, factors, step)].filter(isSet));
    if (after === undefined) {
      result.notListed.push(id);
    } else if (areSameSheets(before, after)) {
      result.isSame.push(id);
    } else {
      result.planned.push({ id, before, after });
    }
  }
  return result;
}

function tokenView(prices: PriceSheet) {
  const { unitPrices: _, videoPrices: __, ...listed } = fieldsOf(prices);
  return inDecimals(listed);
}

/** The plan as it is sent: prices are decimals per million tokens. null: the price of input. */
export const planView = ({ planned, isSame, notListed, ...list }: PriceListPlan) => ({
  ...list,
  changed: planned.map(({ id, before, after }) => ({
    id,
    before: tokenView(before),
    after: tokenView(after),
  })),
  unchanged: isSame,
  notListed,
});

/** Sets the prices of `plan`. Models that are not on the list keep their prices. */
export const importList = operation({
  needs: "prices.write",
  input: PriceImportRequest,
  run: async ({ db, config, actor }, terms) => {
    // Every import takes its locks in the order of the plan.
    const { planned, ...rest } = await plan(db, config.CURRENCY, terms);
    const also = [];
    for (const { id, after } of planned) {
      const before = await lockModel(db, id);
      const prices = toSheet([...withoutTokens(before.prices), ...after]);
      await saveModel(db, { id, kind: before.kind, prices }, actor.name);
      also.push(change(before, await getModel(db, id)));
    }
    const { vendor, factor, rate, decimals } = terms;
    return {
      action: "price.import" as const,
      accountId: null,
      target: { id: vendor, name: vendor },
      after: {
        date: rest.date,
        factor: factor?.text ?? "1",
        ...(rate && { rate: rate.text }),
        ...(decimals !== undefined && { decimals }),
        models: planned.length,
      },
      also: also.map(({ result: _, ...each }) => each),
      result: planView({ planned, ...rest }),
    };
  },
});
