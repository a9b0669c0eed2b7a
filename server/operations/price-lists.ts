/** Sets prices of models from their vendors' public lists, times the operator's factor. */
import { z } from "zod";
import { inDecimals, type Nanos } from "@/server/base/money";
import {
  createModel,
  getModel,
  listCatalog,
  listVendors,
  lockModel,
  priceListOf,
  saveModel,
} from "@/server/catalog";
import { type Channel, listChannels, listNameOf } from "@/server/channels";
import type { Db } from "@/server/db";
import { markUp, parseFactor, stepOf } from "@/server/domain/factor";
import { kindAt } from "@/server/domain/model-kinds";
import { Refusal } from "@/server/domain/refusal";
import {
  areSameSheets,
  emptySheet,
  fieldsOf,
  isNoPrice,
  type PriceSheet,
  scale,
  tokensOnly,
  toSheet,
  withoutTokens,
} from "@/server/pricing";
import { change } from "./models";
import { byNameOnly, longestAnswerOf, makerOf } from "./offers";
import { operation, type TxContext } from "./operation";
import { PRICE_END } from "./prices";

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
      "Only these models; default: all models with token prices that are on the list, except free ones, and those that channels serve and the catalog lacks",
    ),
});
type Terms = z.output<typeof PriceImportRequest>;

/** A channel that serves a model, and the vendor's name of it. */
type Way = { channel: Channel; upstreamName: string };

/** The prices of a model's tokens, and those that it gets. `way`: of a model that the catalog lacks. */
type Planned = { id: string; before: PriceSheet; after: PriceSheet; way?: Way };
type PriceListPlan = {
  planned: Planned[];
  isSame: string[];
  notListed: string[];
  source: string;
  date: string;
};

/** The ways to each model that the vendor's own channels serve, by model. */
async function vendorsWays(db: Db, vendor: string): Promise<Map<string, Way[]>> {
  const ways = new Map<string, Way[]>();
  for (const channel of await listChannels(db)) {
    for (const [id, upstreamName] of listNameOf(channel) === vendor ? Object.entries(channel.models) : []) {
      ways.set(id, [...(ways.get(id) ?? []), { channel, upstreamName }]);
    }
  }
  return ways;
}

const isByToken = (kind: string | null): boolean => kind === "chat" || kind === "embedding";

const isSet = ([name, price]: readonly [string, Nanos]): boolean => !isNoPrice(name, price);

/** The list's prices times factors. Throws Refusal if one is beyond the bound of prices. */
export const markUpAll = (listed: PriceSheet, factors: readonly bigint[], step: bigint): PriceSheet =>
  scale(listed, (price) => {
    const product = markUp(price, factors, step);
    if (product >= PRICE_END) {
      throw new Refusal("with this factor a price is a million or more", "factorTooHigh");
    }
    return product;
  });

/** Throws Refusal if the list is in another currency and no rate is given, or if a model is unknown. */
export async function plan(db: Db, currency: string, terms: Terms): Promise<PriceListPlan> {
  const { source, date, find, ...list } = priceListOf(terms.vendor);
  const factors = factorsOf({ list, own: currency }, { factor: terms.factor, rate: terms.rate });
  const step = stepOf(terms.decimals);
  const modelIds = terms.models && new Set(terms.models);
  const isAsked = (id: string, isFree: boolean) => (modelIds ? modelIds.has(id) : !isFree);
  const entries = await listCatalog(db);
  const ways = await vendorsWays(db, terms.vendor);
  const catalogIds = new Set(entries.map(({ id }) => id));
  const unknown = terms.models?.find((id) => !(catalogIds.has(id) || ways.has(id)));
  if (unknown !== undefined) {
    throw new Refusal(`model "${unknown}" does not exist`, "modelUnknown");
  }
  const afterOf = (names: readonly string[]) => {
    const [listed] = names.flatMap((name) => find(name) ?? []);
    return listed && toSheet([...markUpAll(listed, factors, step)].filter(isSet));
  };
  const result: PriceListPlan = { planned: [], isSame: [], notListed: [], source, date };
  for (const { id, kind, prices } of entries.filter((entry) => isAsked(entry.id, entry.isFree))) {
    const names = [...(ways.get(id) ?? []).map(({ upstreamName }) => upstreamName), id];
    const before = tokensOnly(prices);
    const after = isByToken(kind) ? afterOf(names) : undefined;
    if (after === undefined) {
      result.notListed.push(id);
    } else if (areSameSheets(before, after)) {
      result.isSame.push(id);
    } else {
      result.planned.push({ id, before, after });
    }
  }
  // The import also puts models on sale that a channel serves and the catalog lacks.
  for (const [id, served] of [...ways].filter(([each]) => !catalogIds.has(each) && isAsked(each, false))) {
    const way = served.find(({ channel }) => channel.isEnabled);
    const after =
      way &&
      isByToken(kindAt(way.channel.dialect, byNameOnly(way.upstreamName))) &&
      afterOf([way.upstreamName, id]);
    if (way && after) {
      result.planned.push({ id, before: emptySheet, after, way });
    }
  }
  result.planned.sort((left, right) => Number(left.id > right.id) - Number(left.id < right.id));
  return result;
}

function tokenView(prices: PriceSheet) {
  const { unitPrices: _, videoPrices: __, ...listed } = fieldsOf(prices);
  return inDecimals(listed);
}

/** The plan as it is sent: prices are decimals per million tokens. null: the price of input. */
export const planView = ({ planned, isSame, notListed, ...list }: PriceListPlan) => ({
  ...list,
  changed: planned.map(({ id, way, before, after }) => ({
    id,
    isNew: way !== undefined,
    before: tokenView(before),
    after: tokenView(after),
  })),
  unchanged: isSame,
  notListed,
});

/** Adds a model that a channel serves, with its known facts. */
async function addServed({ db, actor }: TxContext, { id, after }: Planned, { channel, upstreamName }: Way) {
  const named = byNameOnly(upstreamName);
  const kind = kindAt(channel.dialect, named) ?? "chat";
  const maxOutputTokens = longestAnswerOf(kind, named, channel);
  const terms = { kind, maxOutputTokens, ownedBy: makerOf(upstreamName, channel), isEnabled: true };
  await createModel(db, { id, ...terms, prices: after }, actor.name);
  return change(null, await getModel(db, id));
}

/** Sets the prices of `plan`, and adds its new models. Models that are not on the list keep their prices. */
export const importList = operation({
  needs: "prices.write",
  input: PriceImportRequest,
  run: async (call, terms) => {
    const { db, config, actor } = call;
    // Every import takes its locks in the order of the plan.
    const { planned, ...rest } = await plan(db, config.CURRENCY, terms);
    const also = [];
    for (const each of planned) {
      const { id, after, way } = each;
      if (way) {
        also.push(await addServed(call, each, way));
        continue;
      }
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
