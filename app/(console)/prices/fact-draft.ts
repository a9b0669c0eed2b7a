/** The part of a model's form that says what the model can do: its fields, their checks, and what the form sends. Pure. */

import { ModelChange } from "@/server/catalog/schema";
import type { Modality, ModelKind } from "@/server/domain/enums";
import type { ModelDetail, NewModel } from "./catalog";

/** Empty and null mean unknown. */
export type FactDraft = {
  contextWindow: string;
  inputModalities: readonly Modality[];
  outputModalities: readonly Modality[];
  hasTools: boolean | null;
  hasThinking: boolean | null;
};

type FactTerms = Pick<NewModel, keyof FactDraft>;

export const emptyFacts: FactDraft = {
  contextWindow: "",
  inputModalities: [],
  outputModalities: [],
  hasTools: null,
  hasThinking: null,
};

export const factDraftOf = (model: Pick<ModelDetail, keyof FactDraft>): FactDraft => ({
  contextWindow: model.contextWindow === null ? "" : String(model.contextWindow),
  inputModalities: model.inputModalities ?? [],
  outputModalities: model.outputModalities ?? [],
  hasTools: model.hasTools,
  hasThinking: model.hasThinking,
});

/** The facts that a model of this kind has. */
export function factsOf(kind: ModelKind): readonly (keyof FactDraft)[] {
  if (kind === "chat") {
    return ["contextWindow", "inputModalities", "outputModalities", "hasTools", "hasThinking"];
  }
  return kind === "embedding" ? ["contextWindow"] : [];
}

const windowOf = (text: string): number | null => (text.trim() === "" ? null : Number(text.trim()));

/** Whether the server takes this context window. */
export const isWindow = (text: string): boolean =>
  /^\d*$/.test(text.trim()) && ModelChange.shape.contextWindow.safeParse(windowOf(text)).success;

const listed = (modalities: readonly Modality[]) => (modalities.length === 0 ? null : [...modalities]);

/** The facts that the form sends for a model of this kind. */
export function factTerms(draft: FactDraft & { kind: ModelKind }): FactTerms {
  const terms = {
    contextWindow: windowOf(draft.contextWindow),
    inputModalities: listed(draft.inputModalities),
    outputModalities: listed(draft.outputModalities),
    hasTools: draft.hasTools,
    hasThinking: draft.hasThinking,
  };
  return Object.fromEntries(factsOf(draft.kind).map((name) => [name, terms[name]]));
}

/** A new model without its unknown facts: the server takes those from public lists. */
export const withoutUnknown = <Model extends FactTerms>(model: Model): Model => {
  const names: readonly string[] = factsOf("chat");
  return Object.fromEntries(
    Object.entries(model).filter(([name, value]) => value !== null || !names.includes(name)),
  ) as Model;
};
