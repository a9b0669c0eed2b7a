import { and, eq, or } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { labelledObjects } = tables;

/** An object that files name, or named when an apply created it. */
export type Labelled = Omit<typeof labelledObjects.$inferSelect, "createdAt">;

/** The objects of all labels: an object may have one label only, so the others matter, too. */
export const listLabelled = (db: Db): Promise<Labelled[]> =>
  ormOf(db)
    .select({
      kind: labelledObjects.kind,
      objectId: labelledObjects.objectId,
      label: labelledObjects.label,
      parentId: labelledObjects.parentId,
      name: labelledObjects.name,
      isCreated: labelledObjects.isCreated,
      isPruned: labelledObjects.isPruned,
    })
    .from(labelledObjects)
    .orderBy(labelledObjects.kind, labelledObjects.objectId);

/** Keeps an object with its label. Repeating it changes nothing; an object stays created or not. */
export async function keepLabelled(db: Db, { isCreated, ...object }: Labelled): Promise<void> {
  const { label, parentId, name, isPruned } = object;
  await ormOf(db)
    .insert(labelledObjects)
    .values({ ...object, isCreated })
    .onConflictDoUpdate({
      target: [labelledObjects.kind, labelledObjects.objectId],
      set: { label, parentId, name, isPruned },
    });
}

const isObject = ({ kind, objectId }: Pick<Labelled, "kind" | "objectId">) =>
  and(eq(labelledObjects.kind, kind), eq(labelledObjects.objectId, objectId));

/** The object is no longer named by files; the object itself stays. */
export async function forgetLabelled(db: Db, object: Pick<Labelled, "kind" | "objectId">): Promise<void> {
  await ormOf(db).delete(labelledObjects).where(isObject(object));
}

/** Forgets an object that is erased, whatever its kind, and all that belongs to it. */
export async function forgetLabelledOf(db: Db, objectId: string): Promise<void> {
  await ormOf(db)
    .delete(labelledObjects)
    .where(or(eq(labelledObjects.objectId, objectId), eq(labelledObjects.parentId, objectId)));
}
