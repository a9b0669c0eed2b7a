import { getModel, isUnpriced, listCatalog } from "@/server/catalog";
import { findServedModels } from "@/server/channels";
import { modelOperations } from "@/server/operations";
import type { Runtime } from "@/server/process/runtime";

type Entry = Awaited<ReturnType<typeof getModel>>;

/** What is odd about an enabled model: it has no price, no combination to sell, or nobody to make it. */
type Oddity = "unpriced" | "unsold" | "unserved";

/** The catalog with what is odd about it, and what channels serve although the catalog lacks it. */
export async function showCatalog({ db }: Runtime) {
  const entries = await listCatalog(db.orm);
  const served = await findServedModels(db.orm);
  const odditiesOf = (entry: Entry): Oddity[] => {
    const { id, isEnabled, kind, videoPrices } = entry;
    const found = {
      unpriced: isUnpriced(entry),
      unsold: kind === "video" && videoPrices.length === 0,
      unserved: !served.has(id),
    };
    return isEnabled ? (["unpriced", "unsold", "unserved"] as const).filter((oddity) => found[oddity]) : [];
  };
  const known = new Set(entries.map(({ id }) => id));
  return {
    models: entries.map((entry) => ({ ...modelOperations.view(entry), oddities: odditiesOf(entry) })),
    missing: [...served].filter((id) => !known.has(id)),
  };
}

/** Throws Refusal. */
export const showModel = async ({ db }: Runtime, id: string) =>
  modelOperations.view(await getModel(db.orm, id));
