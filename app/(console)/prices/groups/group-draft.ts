/** The form of a price group: its values, their problems, and the request made from them. Pure. */
import { parseFactor } from "@/server/domain/factor";
import type { NewGroup, PriceGroup } from "./price-group";

/** The server's limits. */
export const MOST_ROWS = 500;
const MOST_FACTOR = 1_000n * 1_000_000n;

/** A model with its own factor. `key` tells rows apart. */
export type FactorRow = { key: number; modelId: string | null; factor: string };
export type GroupDraft = { name: string; factor: string; models: FactorRow[] };

/** Names of texts. `models`: by row. */
export type GroupProblems = {
  name?: "nameMissing";
  factor?: "factorWrong";
  models: Map<number, "modelMissing" | "modelTwice" | "factorWrong">;
};

export const noProblems: GroupProblems = { models: new Map() };

export const newRow = (rows: readonly FactorRow[]): FactorRow => ({
  key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
  modelId: null,
  factor: "",
});

/** null: a new group. */
export const draftOf = (group: Pick<PriceGroup, "name" | "factor" | "models"> | null): GroupDraft => ({
  name: group?.name ?? "",
  factor: group?.factor ?? "",
  models: (group?.models ?? []).map((model, key) => ({ key, ...model })),
});

function isFactor(text: string): boolean {
  const factor = parseFactor(text);
  return factor !== null && factor <= MOST_FACTOR;
}

/** Whether a row was added and never filled in. */
const isBlank = ({ modelId, factor }: FactorRow) => modelId === null && factor.trim() === "";

function rowProblems(rows: FactorRow[]): GroupProblems["models"] {
  const problems: GroupProblems["models"] = new Map();
  const modelIds = new Set<string>();
  for (const { key, modelId, factor } of rows.filter((row) => !isBlank(row))) {
    if (modelId === null) {
      problems.set(key, "modelMissing");
    } else if (modelIds.has(modelId)) {
      problems.set(key, "modelTwice");
    } else if (!isFactor(factor)) {
      problems.set(key, "factorWrong");
    }
    modelIds.add(modelId ?? "");
  }
  return problems;
}

export const problemsOf = ({ name, factor, models }: GroupDraft): GroupProblems => ({
  ...(name.trim() === "" && { name: "nameMissing" as const }),
  ...(!isFactor(factor) && { factor: "factorWrong" as const }),
  models: rowProblems(models),
});

/** A draft without problems as the request. */
export const termsOf = ({ name, factor, models }: GroupDraft): NewGroup => ({
  name: name.trim(),
  factor: factor.trim(),
  models: models.flatMap((row) =>
    row.modelId === null ? [] : [{ modelId: row.modelId, factor: row.factor.trim() }],
  ),
});

/** Only the changed members, so that another operator's changes in the meantime stay. */
export function editOf(draft: GroupDraft, before: GroupDraft): Partial<NewGroup> {
  const was = termsOf(before);
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(was[name as keyof NewGroup]);
  return Object.fromEntries(Object.entries(termsOf(draft)).filter(isChanged));
}
