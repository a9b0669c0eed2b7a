/** The form that puts a vendor's models on sale: the chosen models, their prices, and the request. Pure. */
import { formatMoney, type Nanos, nanos, parseMoney } from "@/server/base/money";
import { markUp, parseFactor, stepOf } from "@/server/domain/factor";
import type { Offer, Sold } from "../channel";

/** Input and output, per million tokens, as typed. */
type TypedPrices = { input: string; output: string };

/** `chosen`: upstream names. `typed`: prices of models without a list price, by upstream name. */
export type SaleDraft = {
  chosen: ReadonlySet<string>;
  priceFactor: string;
  costFactor: string;
  rate: string;
  typed: ReadonlyMap<string, TypedPrices>;
};

/** The currencies of list prices and of the installation. */
export type Currencies = { list: string; own: string };

const isListed = ({ listPrices }: Offer) => listPrices.length > 0;

/** Whether the channel could serve it under its name, and does not yet. */
export const canBeAdded = ({ isServed, stand }: Offer) => !isServed && stand !== "otherKind";

/**
 * At first, the form selects all models that can be sold at once. A dated name is the same model as the undated one.
 */
export const startingDraft = (offers: readonly Offer[]): SaleDraft => ({
  chosen: new Set(
    offers
      .filter(
        (offer) => canBeAdded(offer) && !offer.isSnapshot && (isListed(offer) || offer.stand === "onSale"),
      )
      .map(({ upstreamName }) => upstreamName),
  ),
  priceFactor: "1.2",
  costFactor: "1",
  rate: "",
  typed: new Map(),
});

/** Whether its price is set by unit afterwards, under Prices: the form has prices of tokens only. */
export const isByUnit = ({ kind, stand }: Offer): boolean =>
  kind !== "chat" && kind !== "embedding" && stand !== "onSale";

export const isTyped = (offer: Offer): boolean =>
  !isListed(offer) && offer.stand !== "onSale" && (offer.kind === "chat" || offer.kind === "embedding");

export const typedOf = (draft: SaleDraft, { upstreamName }: Offer): TypedPrices =>
  draft.typed.get(upstreamName) ?? { input: "", output: "" };

const times = (price: Nanos, factors: readonly (bigint | null)[]): Nanos | null =>
  factors.some((factor) => factor === null)
    ? null
    : markUp(
        price,
        factors.flatMap((factor) => factor ?? []),
        stepOf(),
      );

/** A figure of a model by class of tokens. null: none, or unknown. */
export type Pair = { input: Nanos | null; output: Nanos | null };

const pairOf = (prices: Offer["prices"]): Pair => {
  const find = (name: string) => {
    const price = parseMoney(prices.find((each) => each.name === name)?.price ?? "");
    return price === 0n ? null : price;
  };
  return { input: find("input"), output: find("output") };
};

/** The figures of a row: the vendor's list, what the channel costs, and what customers pay. */
export function figuresOf(offer: Offer, draft: SaleDraft, { list, own }: Currencies) {
  const listed = pairOf(offer.listPrices);
  const rate = list === own ? [] : [parseFactor(draft.rate)];
  const scaled = (factor: string): Pair => {
    const each = (price: Nanos | null) => price && times(price, [parseFactor(factor), ...rate]);
    return { input: each(listed.input), output: each(listed.output) };
  };
  const cost = scaled(draft.costFactor);
  const typed = typedOf(draft, offer);
  const entered = { input: parseMoney(typed.input), output: parseMoney(typed.output) };
  const set = isTyped(offer) ? entered : scaled(draft.priceFactor);
  const isKept = offer.stand === "onSale" || offer.stand === "off";
  const price = isKept ? pairOf(offer.prices) : set;
  return { listed, cost, price, margin: marginOf(price.input, cost.input) };
}

/** The part of the price that is left after the cost. null: one of them is unknown. */
function marginOf(price: Nanos | null, cost: Nanos | null): number | null {
  return price === null || cost === null || price === 0n
    ? null
    : Number(((price - cost) * 10_000n) / price) / 10_000;
}

export type SaleProblems = {
  chosen?: "noModel";
  priceFactor?: "factor";
  costFactor?: "factor";
  rate?: "rate";
  /** By upstream name. */
  typed: Map<string, "price">;
};
export const noSaleProblems: SaleProblems = { typed: new Map() };

const isWrongPrice = (text: string) => text.trim() !== "" && (parseMoney(text) ?? nanos(-1n)) < 0n;

/** `offers`: those of the form. */
export function saleProblemsOf(
  draft: SaleDraft,
  { offers, currencies }: { offers: readonly Offer[]; currencies: Currencies },
): SaleProblems {
  const chosen = offers.filter(({ upstreamName }) => draft.chosen.has(upstreamName));
  const wrong = chosen.filter((offer) => {
    const { input, output } = typedOf(draft, offer);
    return isTyped(offer) && (isWrongPrice(input) || isWrongPrice(output));
  });
  const problems: SaleProblems = { typed: new Map(wrong.map(({ upstreamName }) => [upstreamName, "price"])) };
  if (chosen.length === 0) {
    problems.chosen = "noModel";
  }
  for (const factor of ["priceFactor", "costFactor"] as const) {
    if (parseFactor(draft[factor]) === null) {
      problems[factor] = "factor";
    }
  }
  if (needsRate(chosen, currencies) && parseFactor(draft.rate) === null) {
    problems.rate = "rate";
  }
  return problems;
}

/** Whether a list price has to be converted. */
export const needsRate = (offers: readonly Offer[], { list, own }: Currencies): boolean =>
  list !== own && offers.some(isListed);

/** A chosen offer as the request names it. */
function soldOf(offer: Offer, draft: SaleDraft): Sold {
  const { upstreamName, modelId, kind, contextWindow, maxOutputTokens, listPrices } = offer;
  const typed = Object.entries(typedOf(draft, offer)).flatMap(([name, text]) => {
    const price = parseMoney(text);
    return price === null || price === 0n ? [] : [{ name, price: formatMoney(price) }];
  });
  return {
    ...{ upstreamName, modelId, kind, contextWindow },
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(isListed(offer) && { listPrices }),
    ...(isTyped(offer) && typed.length > 0 && { prices: typed }),
  };
}

/** The request's members for the chosen offers. */
export function saleOf(draft: SaleDraft, offers: readonly Offer[], currencies: Currencies) {
  const chosen = offers.filter(({ upstreamName }) => draft.chosen.has(upstreamName));
  return {
    models: chosen.map((offer) => soldOf(offer, draft)),
    priceFactor: draft.priceFactor.trim(),
    costFactor: draft.costFactor.trim(),
    ...(needsRate(chosen, currencies) && { rate: draft.rate.trim() }),
  };
}

/** The cheapest conversation among the chosen, to test with; else the first of them. */
export function testedOf(draft: SaleDraft, offers: readonly Offer[]): Offer | null {
  const chosen = offers.filter(({ upstreamName }) => draft.chosen.has(upstreamName));
  const priceOf = (offer: Offer) => Number(pairOf(offer.listPrices).input ?? 10n ** 15n);
  const [cheapest] = chosen
    .filter(({ kind }) => kind === "chat")
    .toSorted((left, right) => priceOf(left) - priceOf(right));
  return cheapest ?? chosen[0] ?? null;
}

/** The names in a pasted text, each once: separated by lines, commas or spaces. */
export const namesIn = (text: string): string[] => [
  ...new Set(text.split(/[\s,;"'[\]]+/).filter((name) => name !== "" && name.length <= 256)),
];
