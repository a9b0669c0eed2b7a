/** The values of a model's form, as text. Pure. */

import { formatMoney, parseMoney } from "@/server/base/money";
import { durations, type ModelKind, type Routing, resolutions, routings } from "@/server/domain/enums";
import { markUp, stepOf } from "@/server/domain/factor";
import { type EachClass, eachPrice, type TokenPriceMembers, tokenPriceFields } from "@/server/pricing";
import type { ModelDetail, ModelFacts } from "./catalog";
import { emptyFacts, type FactDraft, factDraftOf } from "./fact-draft";

export type PriceField = keyof TokenPriceMembers<string, string>;

const textOf = (text: string) => () => text;

/** Everything as it is typed. An empty cache price is inherited; an empty video price means not sold. */
export type ModelDraft = Record<PriceField, string> &
  FactDraft & {
    id: string;
    kind: ModelKind;
    /** Empty only for a new model: the server then takes the maker from price lists. */
    ownedBy: string;
    isEnabled: boolean;
    isFree: boolean;
    /** Empty only for a new model: the server then takes it from public lists, or the default. */
    maxOutputTokens: string;
    routing: Routing;
    /** Empty: never. */
    hedgeAfterMs: string;
    /** Prices by `seconds:resolution`. */
    videoPrices: Record<string, string>;
    /** Prices of units and prices with conditions, in the order in which they were entered. */
    unitPrices: UnitRow[];
  };

/** `key`: identifies the row on screen, whatever is typed into it. */
export type UnitRow = { key: number; unit: string; price: string };

export const cellOf = (durationSeconds: number, resolution: string) => `${durationSeconds}:${resolution}`;

export const splitCell = (cell: string) => {
  const [seconds = "", resolution = ""] = cell.split(":");
  return { durationSeconds: Number(seconds), resolution };
};

/** The grid's rows and columns: the combinations that clients can request, and others that were priced by command. */
export function gridOf(draft: ModelDraft): { durations: number[]; resolutions: string[] } {
  const priced = Object.keys(draft.videoPrices).map(splitCell);
  return {
    durations: [...new Set([...durations, ...priced.map((cell) => cell.durationSeconds)])],
    resolutions: [...new Set([...resolutions, ...priced.map((cell) => cell.resolution)])],
  };
}

export const emptyDraft = (id: string): ModelDraft => ({
  id,
  kind: "chat",
  ownedBy: "",
  isEnabled: true,
  isFree: false,
  maxOutputTokens: "",
  routing: "weight",
  hedgeAfterMs: "",
  ...emptyFacts,
  ...eachPrice(textOf(""), textOf("")),
  videoPrices: {},
  unitPrices: [],
});

/** The usual price of a new model, as a factor of its list price. */
const USUAL_FACTOR = 1_200_000n;

/** A new model that a channel serves, with its known facts. A list in another currency gives no prices. */
export function draftOfServedModel(id: string, facts: ModelFacts, currency: string): ModelDraft {
  const listed = facts.list?.currency === currency ? facts.list.prices : {};
  const priceAt = ({ name }: EachClass) => {
    const price = parseMoney(listed[name] ?? "");
    return price === null || price === 0n ? "" : formatMoney(markUp(price, [USUAL_FACTOR], stepOf()));
  };
  return {
    ...emptyDraft(id),
    ...eachPrice(priceAt, priceAt),
    kind: facts.kind,
    ...(facts.ownedBy !== null && { ownedBy: facts.ownedBy }),
    maxOutputTokens: facts.maxOutputTokens === null ? "" : String(facts.maxOutputTokens),
  };
}

function draftPrices(model: ModelDetail): Record<PriceField, string> {
  const text = ({ field }: EachClass) => model[`${field}Price`] ?? "";
  return eachPrice(text, text);
}

export const draftOf = (model: ModelDetail): ModelDraft => ({
  id: model.id,
  kind: model.kind,
  ownedBy: model.ownedBy,
  isEnabled: model.isEnabled,
  isFree: model.isFree,
  maxOutputTokens: String(model.maxOutputTokens),
  routing: model.routing,
  hedgeAfterMs: model.hedgeAfterMs === null ? "" : String(model.hedgeAfterMs),
  ...factDraftOf(model),
  ...draftPrices(model),
  videoPrices: Object.fromEntries(
    model.videoPrices.map(({ durationSeconds, resolution, price }) => [
      cellOf(durationSeconds, resolution),
      price,
    ]),
  ),
  unitPrices: [
    ...model.unitPrices,
    ...model.conditionalPrices.map(({ name, price }) => ({ unit: name, price })),
  ].map((each, key) => ({ key, ...each })),
});

const needed: Record<ModelKind, PriceField[]> = {
  chat: ["inputPrice", "outputPrice"],
  embedding: ["inputPrice"],
  video: [],
  image: [],
  speech: [],
  transcription: [],
  rerank: [],
  moderation: [],
};

/** Whether the price is required. */
export const isNeeded = (kind: ModelKind, field: PriceField): boolean => needed[kind].includes(field);

/** The prices that a model of this kind has. */
export function pricesOf(kind: ModelKind): readonly PriceField[] {
  if (kind === "chat") {
    return tokenPriceFields;
  }
  const optional: Partial<Record<ModelKind, PriceField[]>> = {
    image: ["inputPrice", "outputPrice"],
    transcription: ["inputPrice", "outputPrice"],
    rerank: ["inputPrice"],
  };
  return optional[kind] ?? needed[kind];
}

/** The routings of a kind. Vendors cache prompts only of chat models, so only chat models have `affinity`. */
export const routingsOf = (kind: ModelKind): readonly Routing[] =>
  kind === "chat" ? routings : routings.filter((routing) => routing !== "affinity");

/** Makes the draft free of charge or priced: a free model has no other prices. */
export const withFree = (draft: ModelDraft, isFree: boolean): ModelDraft =>
  isFree
    ? {
        ...draft,
        isFree,
        ...eachPrice(textOf("0"), textOf("")),
        unitPrices: [],
      }
    : { ...draft, isFree };

/** null: empty. NaN: not a number. */
export const millisecondsOf = (text: string): number | null => {
  const typed = text.trim();
  if (typed === "") {
    return null;
  }
  return /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
};
