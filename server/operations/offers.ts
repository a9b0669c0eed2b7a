/** Offers: a vendor's models before they are on sale, each with its known kind, limits and list price. */
import {
  findPriceList,
  listCatalog,
  listedFactsOf,
  type Model,
  ownerOfModel,
  withoutDate,
} from "@/server/catalog";
import { capabilitiesOf, listNameOf, ownerOf } from "@/server/channels";
import type { Db } from "@/server/db";
import type { ModelKind, VendorApi } from "@/server/domain/enums";
import { kindAt } from "@/server/domain/model-kinds";
import { emptySheet, type PriceSheet } from "@/server/pricing";
import { pricesView } from "./prices";

export type Endpoint = { dialect: VendorApi; vendor: string | null; baseUrl: string };

/** The facts of a model in a vendor's list. A typed name has no other facts. */
export type Named = {
  name: string;
  kind: ModelKind | null;
  contextWindow: number | null;
  maxOutputTokens: number | null;
  prices: PriceSheet | null;
};

export const byNameOnly = (name: string): Named => ({
  name,
  kind: null,
  contextWindow: null,
  maxOutputTokens: null,
  prices: null,
});

/** The vendors that list prices themselves have no other currency. */
const OF_VENDORS = "USD";

/** The vendor's own price, or that of its stored list; the list's name, currency and date. */
export function listPriceOf({ vendor, baseUrl, dialect }: Endpoint) {
  const list = findPriceList(listNameOf({ vendor, baseUrl, dialect }));
  return {
    currency: list?.currency ?? OF_VENDORS,
    list: list && { currency: list.currency, source: list.source, date: list.date },
    find: ({ name, prices }: Pick<Named, "name" | "prices">): PriceSheet | null =>
      prices ?? list?.find(name) ?? null,
  };
}

/** Prefixes that hosts put before the maker: Fireworks `accounts/`, SiliconFlow `Pro/`, OpenRouter `~` for its latest. */
const beforeMaker = /^(?:accounts\/|Pro\/|LoRA\/|~)/;

/**
 * The maker of a model: the name before the slash at hosts of others' models, else the maker whose models have such
 * names, else the vendor.
 */
export function makerOf(name: string, endpoint: Endpoint): string | undefined {
  const path = name.replace(beforeMaker, "");
  const slash = path.indexOf("/");
  return slash > 0
    ? path.slice(0, Math.min(slash, 100))
    : (ownerOfModel(name) ?? ownerOf(endpoint) ?? undefined);
}

/** The longest answer: as the vendor lists it, as its preset has it, or as public lists do. undefined: unknown. */
export function longestAnswerOf(kind: ModelKind, { name, maxOutputTokens }: Named, endpoint: Endpoint) {
  const preset = capabilitiesOf({ ...endpoint, upstreamName: name, overrides: null }).maxOutputTokens;
  return maxOutputTokens ?? preset ?? listedFactsOf(kind, name).maxOutputTokens;
}

/**
 * Where a model stands in the catalog. `new`: not in it; `unpriced`: without a price; `onSale`: it keeps its price;
 * `off`: an operator disabled it; `otherKind`: another model has its name, so it cannot be served under it.
 */
export const stands = ["new", "unpriced", "onSale", "off", "otherKind"] as const;
export type Stand = (typeof stands)[number];

export function standOf(
  entry: Pick<Model, "kind" | "isEnabled" | "isFree" | "prices"> | undefined,
  kind: ModelKind,
): Stand {
  if (!entry) {
    return "new";
  }
  if (entry.kind !== kind) {
    return "otherKind";
  }
  if (!entry.isEnabled) {
    return "off";
  }
  return entry.isFree || entry.prices.size > 0 ? "onSale" : "unpriced";
}

type Offering = {
  endpoint: Endpoint;
  listed: readonly Named[];
  /** Public name -> upstream name, of the channel as it is. */
  served: Readonly<Record<string, string>>;
};

/** Each model that the gateway has calls for, in the vendor's order, and the served models that are not listed. */
export async function offersOf(db: Db, { endpoint, listed, served }: Offering) {
  const { list, currency, find } = listPriceOf(endpoint);
  const catalog = new Map((await listCatalog(db)).map((entry) => [entry.id, entry]));
  const publicNames = new Map(
    Object.entries(served).map(([modelId, upstreamName]) => [upstreamName, modelId]),
  );
  const names = new Set(listed.map(({ name }) => name));
  const offers = listed.flatMap((named) => {
    const { name } = named;
    const kind = kindAt(endpoint.dialect, named);
    if (kind === null) {
      return [];
    }
    const modelId = publicNames.get(name) ?? name;
    const entry = catalog.get(modelId);
    return [
      {
        upstreamName: name,
        modelId,
        kind,
        stand: standOf(entry, kind),
        isServed: publicNames.has(name),
        // The undated name is listed too: both are the same model, and clients name that one.
        isSnapshot: withoutDate(name) !== name && names.has(withoutDate(name)),
        contextWindow: named.contextWindow ?? listedFactsOf(kind, name).contextWindow ?? null,
        maxOutputTokens: longestAnswerOf(kind, named, endpoint) ?? null,
        listPrices: pricesView(find(named) ?? emptySheet),
        prices: pricesView(entry?.prices ?? emptySheet),
      },
    ];
  });
  const gone = Object.entries(served).flatMap(([modelId, upstreamName]) =>
    names.has(upstreamName) ? [] : [modelId],
  );
  return { currency, list, offers, gone };
}
