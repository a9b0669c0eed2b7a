/** Price groups: the usual prices times a factor, for some accounts. */
import { asc, eq, or, sql } from "drizzle-orm";
import { type Db, orRefuse, reportChange, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Factor, markUp } from "@/server/domain/factor";
import { newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { type PriceSheet, scale } from "@/server/pricing";

const { priceGroups } = tables;

/** `modelFactors`: factors of single models, by name; each replaces `factor`. */
export type PriceGroup = {
  id: string;
  name: string;
  factor: Factor;
  modelFactors: ReadonlyMap<string, Factor>;
  createdAt: Date;
};

/** The terms that an operator sets. */
export type GroupTerms = Pick<PriceGroup, "name" | "factor" | "modelFactors">;

/** Models with a factor of their own: more would be a price list. */
export const MOST_MODEL_FACTORS = 500;
/** The catalog keeps all groups in memory. */
const MOST_GROUPS = 200;

/** Returns a model at a group's prices, each rounded up to the next nano-unit. Pure. */
export function atGroupPrices<M extends { id: string; prices: PriceSheet }>(
  model: M,
  { factor, modelFactors }: Pick<PriceGroup, "factor" | "modelFactors">,
): M {
  const own = modelFactors.get(model.id) ?? factor;
  return { ...model, prices: scale(model.prices, (price) => markUp(price, [own], 1n)) };
}

const toGroup = ({ modelFactors, ...row }: typeof priceGroups.$inferSelect): PriceGroup => ({
  ...row,
  modelFactors: new Map(Object.entries(modelFactors).map(([id, factor]) => [id, BigInt(factor)])),
});

const stored = ({ modelFactors, ...terms }: GroupTerms) => ({
  ...terms,
  modelFactors: Object.fromEntries([...modelFactors].map(([id, factor]) => [id, String(factor)])),
});

export async function listPriceGroups(db: Db): Promise<PriceGroup[]> {
  return (await ormOf(db).select().from(priceGroups).orderBy(asc(priceGroups.name))).map(toGroup);
}

const unknown = (nameOrId: string) =>
  new Refusal(`price group "${nameOrId}" does not exist`, "priceGroupUnknown", { name: nameOrId });

const nameTaken = (name: string) =>
  new Refusal(`a price group named "${name}" already exists`, "priceGroupNameTaken", { name });

function called(db: Db, nameOrId: string) {
  const isId = sql`${priceGroups.id} = ${nameOrId}`;
  return (
    ormOf(db)
      .select()
      .from(priceGroups)
      .where(or(isId, eq(priceGroups.name, nameOrId)))
      // A match by identifier goes before a match by name.
      .orderBy(sql`${isId} desc`)
      .limit(1)
  );
}

/** Finds a group by identifier, or else by name, as people type them. Throws Refusal. */
export const getPriceGroup = async (db: Db, nameOrId: string): Promise<PriceGroup> =>
  toGroup(await rowOrRefuse(called(db, nameOrId), () => unknown(nameOrId)));

/** As `getPriceGroup`; the group cannot be removed before the transaction ends. */
export const lockGroupInUse = async (tx: Db, nameOrId: string): Promise<PriceGroup> =>
  toGroup(await rowOrRefuse(called(tx, nameOrId).for("key share"), () => unknown(nameOrId)));

/** The group as it is now, with its row locked until the transaction ends. Throws Refusal. */
async function lockPriceGroup(db: Db, id: string): Promise<PriceGroup> {
  const query = ormOf(db).select().from(priceGroups).where(eq(priceGroups.id, id)).for("update");
  return toGroup(await rowOrRefuse(query, () => unknown(id)));
}

/** Throws Refusal if the name is taken. */
export async function createPriceGroup(db: Db, terms: GroupTerms): Promise<PriceGroup> {
  if ((await listPriceGroups(db)).length >= MOST_GROUPS) {
    throw new Refusal(`there are ${MOST_GROUPS} price groups already`, "priceGroupsTooMany", {
      max: MOST_GROUPS,
    });
  }
  const made = ormOf(db)
    .insert(priceGroups)
    .values({ id: newId("pgr"), ...stored(terms) })
    .onConflictDoNothing()
    .returning();
  const group = toGroup(await rowOrRefuse(made, () => nameTaken(terms.name)));
  await reportChange(db, "catalog");
  return group;
}

/**
 * Changes the members given. New calls pay the new prices within a second; calls under way keep theirs. Returns the
 * former group. Throws Refusal.
 */
export async function updatePriceGroup(
  db: Db,
  { id, ...change }: { id: string } & { [Name in keyof GroupTerms]?: GroupTerms[Name] | undefined },
): Promise<PriceGroup> {
  const before = await lockPriceGroup(db, id);
  const { name = before.name, factor = before.factor, modelFactors = before.modelFactors } = change;
  const changed = ormOf(db)
    .update(priceGroups)
    .set(stored({ name, factor, modelFactors }))
    .where(eq(priceGroups.id, id));
  await orRefuse(changed, "duplicate", () => nameTaken(name));
  await reportChange(db, "catalog");
  return before;
}

/** Returns the removed group. Throws Refusal if an account pays its prices. */
export async function removePriceGroup(db: Db, id: string): Promise<PriceGroup> {
  const before = await lockPriceGroup(db, id);
  const { name } = before;
  const removed = ormOf(db).delete(priceGroups).where(eq(priceGroups.id, id));
  await orRefuse(
    removed,
    "missing",
    () => new Refusal(`accounts still use the price group "${name}"`, "priceGroupInUse", { name }),
  );
  await reportChange(db, "catalog");
  return before;
}
