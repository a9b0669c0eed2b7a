import type { Modality, ModelKind } from "@/server/domain/enums";
import { withoutDate } from "./list-prices";
import list from "./model-facts.json" with { type: "json" };

/** A model's facts from public lists. Unknown members are left out. */
export type ListedFacts = {
  /** Tokens of prompt and answer together. */
  contextWindow?: number;
  /** Also left out where only the window limits an answer. */
  maxOutputTokens?: number;
  inputModalities?: Modality[];
  hasTools?: boolean;
  hasThinking?: boolean;
};

const models = new Map(
  Object.entries(list.models as Record<string, ListedFacts & { kind: "chat" | "embedding" }>),
);

/**
 * Finds facts by a model's name, without the maker that routers put before it (`openai/gpt-4o`) and, if the snapshot is
 * not listed, without its date. The data is in model-facts.json with its date and source; scripts/model-facts.mjs
 * writes it.
 */
export function listedFactsOf(kind: ModelKind, id: string): ListedFacts {
  const name = id.slice(id.lastIndexOf("/") + 1);
  const { kind: listedKind, ...facts } = models.get(name) ?? models.get(withoutDate(name)) ?? { kind: null };
  return listedKind === kind ? facts : {};
}

type ModelFacts = Omit<ListedFacts, "maxOutputTokens">;
type Described = { id: string; kind: ModelKind } & { [Name in keyof ModelFacts]-?: ModelFacts[Name] | null };

/**
 * Facts that the lists have and the operator has not set. The longest answer is always set, because holds are sized by
 * it.
 */
export function unknownFacts(model: Described): ModelFacts {
  const { maxOutputTokens: _, ...facts } = listedFactsOf(model.kind, model.id);
  return Object.fromEntries(
    Object.entries(facts).filter(([name]) => model[name as keyof ModelFacts] === null),
  );
}
