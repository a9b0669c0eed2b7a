/** Turns a model's form into a request: all members of a new model, and the changed members of a stored one. Pure. */

import { formatMoney, nanos, parseMoney } from "@/server/base/money";
import { eachPrice, hasConditions, isPriceName } from "@/server/pricing";
import type { ModelEdit, NewModel } from "./catalog";
import { factTerms } from "./fact-draft";
import { type ModelDraft, millisecondsOf, splitCell } from "./model-draft";

/** The shortest way to write it, so that `1.50` is no change from `1.5`. */
const canonical = (text: string) => formatMoney(parseMoney(text) ?? nanos(0n));

const inherited = (text: string) => (text.trim() === "" ? null : canonical(text));

const gridTerms = ({ videoPrices }: ModelDraft) =>
  Object.entries(videoPrices)
    .filter(([, price]) => price.trim() !== "")
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([cell, price]) => ({ ...splitCell(cell), price: canonical(price) }));

/** The rows, as the lists that they belong to. */
function unitTerms({ unitPrices }: ModelDraft) {
  const rows = unitPrices.map(({ unit, price }) => ({ unit: unit.trim(), price: canonical(price) }));
  return {
    unitPrices: rows.filter(({ unit }) => !hasConditions(unit)),
    conditionalPrices: rows.flatMap(({ unit, price }) =>
      hasConditions(unit) && isPriceName(unit) ? [{ name: unit, price }] : [],
    ),
  };
}

/** All members of the model. The draft has no problems. */
export function modelOf(draft: ModelDraft): NewModel {
  const { kind, isEnabled } = draft;
  const own = {
    ...{ id: draft.id.trim(), kind, isEnabled },
    ...(draft.ownedBy.trim() !== "" && { ownedBy: draft.ownedBy.trim() }),
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
      ...unitTerms(draft),
    };
  }
  return {
    ...own,
    routing,
    isFree: draft.isFree,
    ...unitTerms(draft),
    ...(draft.maxOutputTokens.trim() !== "" && { maxOutputTokens: Number(draft.maxOutputTokens) }),
    hedgeAfterMs: millisecondsOf(draft.hedgeAfterMs),
    ...eachPrice(
      ({ field }) => canonical(draft[`${field}Price`]),
      ({ field }) => inherited(draft[`${field}Price`]),
    ),
  };
}

const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

/** The members that the operator changed in the form. The changes that another operator has saved meanwhile stay. */
export function editOf(draft: ModelDraft, before: ModelDraft): Omit<ModelEdit, "id"> {
  const was = modelOf(before);
  return Object.fromEntries(
    Object.entries(modelOf(draft)).filter(([field, value]) => !isSame(value, was[field as keyof NewModel])),
  );
}
