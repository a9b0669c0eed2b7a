/** What stands in the form of a model, and what it comes to. Pure. */

import { durations, type ModelKind, type Routing, resolutions, routings } from "@/server/base/facts";
import { formatMoney, nanos, parseMoney } from "@/server/base/money";
import { isUnit } from "@/server/base/units";
import { ModelChange } from "@/server/catalog/schema";
import type { ModelDetail, ModelEdit, NewModel } from "./catalog";
import { emptyFacts, type FactDraft, factDraftOf, factTerms, isWindow } from "./fact-draft";

const priceFields = [
  "inputPrice",
  "outputPrice",
  "cacheReadPrice",
  "cacheWritePrice",
  "cacheWrite1hPrice",
] as const;
export type PriceField = (typeof priceFields)[number];

/**
 * Everything as it is typed. An empty price of the cache is inherited; an empty one of a video means that it is not
 * sold.
 */
export type ModelDraft = Record<PriceField, string> &
  FactDraft & {
    id: string;
    kind: ModelKind;
    ownedBy: string;
    isEnabled: boolean;
    isFree: boolean;
    /** Empty only of a new model: what public lists say of its name, or the usual. */
    maxOutputTokens: string;
    routing: Routing;
    /** Empty: never. */
    hedgeAfterMs: string;
    /** By `seconds:resolution`. */
    videoPrices: Record<string, string>;
    /** In the order in which they were entered. */
    unitPrices: UnitRow[];
  };

/** `key`: of the row on screen, whatever is typed into it. */
export type UnitRow = { key: number; unit: string; price: string };

export const cellOf = (durationSeconds: number, resolution: string) => `${durationSeconds}:${resolution}`;

const splitCell = (cell: string) => {
  const [seconds = "", resolution = ""] = cell.split(":");
  return { durationSeconds: Number(seconds), resolution };
};

/** Rows and columns of the grid: what clients can ask for, and whatever else was priced by command. */
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
  ownedBy: "tollgate",
  isEnabled: true,
  isFree: false,
  maxOutputTokens: "",
  routing: "weight",
  hedgeAfterMs: "",
  ...emptyFacts,
  inputPrice: "",
  outputPrice: "",
  cacheReadPrice: "",
  cacheWritePrice: "",
  cacheWrite1hPrice: "",
  videoPrices: {},
  unitPrices: [],
});

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
  inputPrice: model.inputPrice,
  outputPrice: model.outputPrice,
  cacheReadPrice: model.cacheReadPrice ?? "",
  cacheWritePrice: model.cacheWritePrice ?? "",
  cacheWrite1hPrice: model.cacheWrite1hPrice ?? "",
  videoPrices: Object.fromEntries(
    model.videoPrices.map(({ durationSeconds, resolution, price }) => [
      cellOf(durationSeconds, resolution),
      price,
    ]),
  ),
  unitPrices: model.unitPrices.map((each, key) => ({ key, ...each })),
});

/** Names of texts. */
type PriceProblem = "missing" | "notANumber" | "decimals" | "negative" | "high";

/** What is wrong with a price; null: nothing. An empty one is for the field to judge. */
export function priceProblem(text: string): PriceProblem | null {
  const typed = text.trim();
  if (typed === "") {
    return null;
  }
  if (!/^-?\d+(\.\d+)?$/.test(typed)) {
    return "notANumber";
  }
  if (typed.startsWith("-")) {
    return "negative";
  }
  if ((typed.split(".")[1] ?? "").length > 9) {
    return "decimals";
  }
  return ModelChange.shape.inputPrice.safeParse(parseMoney(typed)).success ? null : "high";
}

export type DraftProblems = {
  id?: "idMissing" | "idInvalid";
  ownedBy?: "ownedBy";
  maxOutputTokens?: "maxOutputTokens";
  hedgeAfterMs?: "hedgeAfterMs";
  contextWindow?: "contextWindow";
  prices: Partial<Record<PriceField, PriceProblem>>;
  videoPrices: Map<string, PriceProblem>;
  unitPrices: Map<number, PriceProblem | "unit" | "unitTwice">;
};

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

/** Whether the price has to be filled in. */
export const isNeeded = (kind: ModelKind, field: PriceField): boolean => needed[kind].includes(field);

/** The prices that a model of this kind has. */
export function pricesOf(kind: ModelKind): readonly PriceField[] {
  if (kind === "chat") {
    return priceFields;
  }
  const optional: Partial<Record<ModelKind, PriceField[]>> = {
    image: ["inputPrice", "outputPrice"],
    transcription: ["inputPrice", "outputPrice"],
    rerank: ["inputPrice"],
  };
  return optional[kind] ?? needed[kind];
}

/** What the channels of a model of this kind may be ordered by: only prompts are kept. */
export const routingsOf = (kind: ModelKind): readonly Routing[] =>
  kind === "chat" ? routings : routings.filter((routing) => routing !== "affinity");

/** The draft free of charge, or not any more: a model that is free has no other prices. */
export const withFree = (draft: ModelDraft, isFree: boolean): ModelDraft =>
  isFree
    ? {
        ...draft,
        isFree,
        inputPrice: "0",
        outputPrice: "0",
        cacheReadPrice: "",
        cacheWritePrice: "",
        cacheWrite1hPrice: "",
        unitPrices: [],
      }
    : { ...draft, isFree };

function priceProblems(draft: ModelDraft): DraftProblems["prices"] {
  const found = pricesOf(draft.kind).map((field) => {
    const isMissing = draft[field].trim() === "" && isNeeded(draft.kind, field);
    return [field, isMissing ? "missing" : priceProblem(draft[field])] as const;
  });
  return Object.fromEntries(found.filter(([, problem]) => problem !== null));
}

function gridProblems({ kind, videoPrices }: ModelDraft): DraftProblems["videoPrices"] {
  const problems: DraftProblems["videoPrices"] = new Map();
  for (const [cell, price] of kind === "video" ? Object.entries(videoPrices) : []) {
    const problem = priceProblem(price);
    if (problem) {
      problems.set(cell, problem);
    }
  }
  return problems;
}

function unitProblem({ unit, price }: UnitRow, all: UnitRow[]) {
  if (!isUnit(unit.trim())) {
    return "unit";
  }
  if (all.filter((other) => other.unit.trim() === unit.trim()).length > 1) {
    return "unitTwice";
  }
  return price.trim() === "" ? "missing" : priceProblem(price);
}

function unitProblems({ unitPrices }: ModelDraft): DraftProblems["unitPrices"] {
  const problems: DraftProblems["unitPrices"] = new Map();
  for (const row of unitPrices) {
    const problem = unitProblem(row, unitPrices);
    if (problem) {
      problems.set(row.key, problem);
    }
  }
  return problems;
}

/** What `problemsOf` says of a draft that is right. */
export const noProblems: DraftProblems = { prices: {}, videoPrices: new Map(), unitPrices: new Map() };

/** null: nothing was typed. NaN: no number. */
const millisecondsOf = (text: string): number | null => {
  const typed = text.trim();
  if (typed === "") {
    return null;
  }
  return /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
};

/** What keeps a draft from being sent. */
export function problemsOf(draft: ModelDraft, isNew = false): DraftProblems {
  const { id, ownedBy, maxOutputTokens, hedgeAfterMs } = ModelChange.shape;
  const problems: DraftProblems = {
    prices: priceProblems(draft),
    videoPrices: gridProblems(draft),
    unitPrices: unitProblems(draft),
  };
  if (!id.safeParse(draft.id.trim()).success) {
    problems.id = draft.id.trim() === "" ? "idMissing" : "idInvalid";
  }
  if (!ownedBy.safeParse(draft.ownedBy).success) {
    problems.ownedBy = "ownedBy";
  }
  const limit = draft.maxOutputTokens.trim();
  const isLimit = /^\d+$/.test(limit) && maxOutputTokens.safeParse(Number(limit)).success;
  if (draft.kind === "chat" && !isLimit && !(isNew && limit === "")) {
    problems.maxOutputTokens = "maxOutputTokens";
  }
  if (draft.kind === "chat" && !hedgeAfterMs.safeParse(millisecondsOf(draft.hedgeAfterMs)).success) {
    problems.hedgeAfterMs = "hedgeAfterMs";
  }
  if (!isWindow(draft.contextWindow)) {
    problems.contextWindow = "contextWindow";
  }
  return problems;
}

/** The shortest way to write it, so that `1.50` is no change from `1.5`. */
const canonical = (text: string) => formatMoney(parseMoney(text) ?? nanos(0n));

const inherited = (text: string) => (text.trim() === "" ? null : canonical(text));

const gridTerms = ({ videoPrices }: ModelDraft) =>
  Object.entries(videoPrices)
    .filter(([, price]) => price.trim() !== "")
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([cell, price]) => ({ ...splitCell(cell), price: canonical(price) }));

const unitTerms = ({ unitPrices }: ModelDraft) =>
  unitPrices.map(({ unit, price }) => ({ unit: unit.trim(), price: canonical(price) }));

/** What the server is told. Only of a draft without problems. */
export function modelOf(draft: ModelDraft): NewModel {
  const { kind, isEnabled } = draft;
  const own = {
    ...{ id: draft.id.trim(), kind, isEnabled, ownedBy: draft.ownedBy.trim() },
    ...factTerms(draft),
  };
  if (kind === "video") {
    return { ...own, videoPrices: gridTerms(draft) };
  }
  const { routing } = draft;
  if (kind === "embedding") {
    return { ...own, routing, isFree: draft.isFree, inputPrice: canonical(draft.inputPrice) };
  }
  if (kind !== "chat") {
    return {
      ...own,
      routing,
      isFree: draft.isFree,
      inputPrice: canonical(draft.inputPrice),
      outputPrice: canonical(draft.outputPrice),
      unitPrices: unitTerms(draft),
    };
  }
  return {
    ...own,
    routing,
    isFree: draft.isFree,
    unitPrices: unitTerms(draft),
    ...(draft.maxOutputTokens.trim() !== "" && { maxOutputTokens: Number(draft.maxOutputTokens) }),
    hedgeAfterMs: millisecondsOf(draft.hedgeAfterMs),
    inputPrice: canonical(draft.inputPrice),
    outputPrice: canonical(draft.outputPrice),
    cacheReadPrice: inherited(draft.cacheReadPrice),
    cacheWritePrice: inherited(draft.cacheWritePrice),
    cacheWrite1hPrice: inherited(draft.cacheWrite1hPrice),
  };
}

const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

/** Only what differs from the draft that the form began with: what somebody else changed meanwhile stays. */
export function editOf(draft: ModelDraft, before: ModelDraft): Omit<ModelEdit, "id"> {
  const was = modelOf(before);
  return Object.fromEntries(
    Object.entries(modelOf(draft)).filter(([field, value]) => !isSame(value, was[field as keyof NewModel])),
  );
}
