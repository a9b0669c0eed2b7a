/** The problems of a model's form. A form with problems cannot be saved. Pure. */

import { parseMoney } from "@/server/base/money";
import { ModelChange } from "@/server/catalog/schema";
import { isUnit } from "@/server/domain/units";
import { hasConditions, isPriceName } from "@/server/pricing";
import { isWindow } from "./fact-draft";
import {
  isNeeded,
  type ModelDraft,
  millisecondsOf,
  type PriceField,
  pricesOf,
  type UnitRow,
} from "./model-draft";

/** Names of texts. */
type PriceProblem = "missing" | "notANumber" | "decimals" | "negative" | "high";

/** The problem of a price; null: it has none. Each field decides for itself whether its price may be empty. */
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

export type ModelProblems = {
  id?: "idMissing" | "idInvalid";
  ownedBy?: "ownedBy";
  maxOutputTokens?: "maxOutputTokens";
  hedgeAfterMs?: "hedgeAfterMs";
  contextWindow?: "contextWindow";
  prices: Partial<Record<PriceField, PriceProblem>>;
  videoPrices: Map<string, PriceProblem>;
  unitPrices: Map<number, PriceProblem | "unit" | "unitTwice">;
};

function priceProblems(draft: ModelDraft): ModelProblems["prices"] {
  const entries = pricesOf(draft.kind).map((field) => {
    const isMissing = draft[field].trim() === "" && isNeeded(draft.kind, field);
    return [field, isMissing ? "missing" : priceProblem(draft[field])] as const;
  });
  return Object.fromEntries(entries.filter(([, problem]) => problem !== null));
}

function gridProblems({ kind, videoPrices }: ModelDraft): ModelProblems["videoPrices"] {
  const problems: ModelProblems["videoPrices"] = new Map();
  for (const [cell, price] of kind === "video" ? Object.entries(videoPrices) : []) {
    const problem = priceProblem(price);
    if (problem) {
      problems.set(cell, problem);
    }
  }
  return problems;
}

function unitProblem({ unit, price }: UnitRow, all: UnitRow[]) {
  const name = unit.trim();
  if (!isUnit(name) && !(hasConditions(name) && isPriceName(name))) {
    return "unit";
  }
  if (all.filter((other) => other.unit.trim() === unit.trim()).length > 1) {
    return "unitTwice";
  }
  return price.trim() === "" ? "missing" : priceProblem(price);
}

function unitProblems({ unitPrices }: ModelDraft): ModelProblems["unitPrices"] {
  const problems: ModelProblems["unitPrices"] = new Map();
  for (const row of unitPrices) {
    const problem = unitProblem(row, unitPrices);
    if (problem) {
      problems.set(row.key, problem);
    }
  }
  return problems;
}

/** A draft without problems. */
export const noProblems: ModelProblems = { prices: {}, videoPrices: new Map(), unitPrices: new Map() };

/** The problems of a draft, by field. */
export function problemsOf(draft: ModelDraft, isNew = false): ModelProblems {
  const { id, ownedBy, maxOutputTokens, hedgeAfterMs } = ModelChange.shape;
  const problems: ModelProblems = {
    prices: priceProblems(draft),
    videoPrices: gridProblems(draft),
    unitPrices: unitProblems(draft),
  };
  if (!id.safeParse(draft.id.trim()).success) {
    problems.id = draft.id.trim() === "" ? "idMissing" : "idInvalid";
  }
  const isLeft = isNew && draft.ownedBy.trim() === "";
  if (!isLeft && !ownedBy.safeParse(draft.ownedBy).success) {
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
