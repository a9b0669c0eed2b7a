import type { Change } from "@/server/audit";
import { getModel, isUnpriced, listCatalog } from "@/server/catalog";
import { findServedModels } from "@/server/channels";
import { formatMoney } from "@/server/money";
import type { Runtime } from "@/server/runtime";

type Entry = Awaited<ReturnType<typeof getModel>>;

const inherited = (price: bigint | null) => (price === null ? null : formatMoney(price));

/** A model as it was entered: decimals in currency units per million tokens, or a video. null: inherited. */
const toView = ({ createdAt: _, ...entry }: Entry) => ({
  ...entry,
  inputPrice: formatMoney(entry.inputPrice),
  outputPrice: formatMoney(entry.outputPrice),
  cacheReadPrice: inherited(entry.cacheReadPrice),
  cacheWritePrice: inherited(entry.cacheWritePrice),
  cacheWrite1hPrice: inherited(entry.cacheWrite1hPrice),
  videoPrices: entry.videoPrices.map((cell) => ({ ...cell, price: formatMoney(cell.price) })),
});

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
    models: entries.map((entry) => ({ ...toView(entry), oddities: odditiesOf(entry) })),
    missing: [...served].filter((id) => !known.has(id)),
  };
}

/** Throws Refusal. */
export const showModel = async ({ db }: Runtime, id: string) => toView(await getModel(db.orm, id));

const recordOf = ({ id: _, videoPrices, ...entry }: ReturnType<typeof toView>) => ({
  ...entry,
  videoPrices: Object.fromEntries(
    videoPrices.map(({ durationSeconds, resolution, price }) => [`${durationSeconds}:${resolution}`, price]),
  ),
});

/** A change for the log of changes; `before` is null of a new model. */
export const modelChange = (before: Entry | null, after: Entry): Change => ({
  action: "model.save",
  accountId: null,
  target: { id: after.id, name: after.id },
  ...(before && { before: recordOf(toView(before)) }),
  after: recordOf(toView(after)),
});
