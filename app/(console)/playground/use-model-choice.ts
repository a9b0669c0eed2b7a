import { parseAsString, useQueryState } from "nuqs";
import type { ModelKind } from "@/server/domain/enums";
import type { Model } from "../models/model";

export type ModelChoice = { model: Model | null; models: Model[]; choose: (id: string) => void };

/** The model of a tab, kept in the address; by default the first model of the tab's kind. */
export function useModelChoice(all: Model[], kind: ModelKind): ModelChoice {
  const [id, setId] = useQueryState("model", parseAsString);
  const models = all.filter((model) => model.kind === kind);
  return {
    models,
    model: models.find((model) => model.id === id) ?? models[0] ?? null,
    choose: (next) => void setId(next),
  };
}
