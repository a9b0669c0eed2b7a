import type { Db } from "@/server/db";
import { Refusal } from "@/server/domain/refusal";
import type { Labelled } from "@/server/labels";
import { canonicalName } from "./desired";
import type { Found, Kind } from "./kind";

type Place = { kind: Kind; parentId: string | null };

type Objects = { byId: Map<string, Found>; byName: Map<string, Found[]> };

function put({ byId, byName }: Objects, kind: Kind, found: Found): void {
  const name = canonicalName(kind, found.name);
  byId.set(found.id, found);
  byName.set(name, [...(byName.get(name) ?? []), found]);
}

const keyOf = (...parts: (string | null)[]) => JSON.stringify(parts);

/** The present objects, read once for each place; `add` keeps them up to date. `records`: those of all labels. */
export function createFinder(db: Db, { records, label }: { records: readonly Labelled[]; label: string }) {
  const places = new Map<string, Objects>();
  const recordById = new Map(records.map((record) => [keyOf(record.kind, record.objectId), record]));
  const ownByName = new Map(
    records
      .filter((record) => record.label === label)
      .map((record) => [keyOf(record.kind, record.parentId, record.name), record]),
  );

  async function objectsIn({ kind, parentId }: Place): Promise<Objects> {
    const key = keyOf(kind.section, parentId);
    const cached = places.get(key);
    if (cached) {
      return cached;
    }
    const objects: Objects = { byId: new Map(), byName: new Map() };
    for (const found of await kind.list(db, parentId)) {
      put(objects, kind, found);
    }
    places.set(key, objects);
    return objects;
  }

  /**
   * The object that files mean by a name: the one that they named so before, even if people have renamed it since and
   * no file has its new name (`isTaken`), else the one that has the name now. Throws Refusal if several have it.
   */
  async function byName(
    { kind, parentId }: Place,
    name: string,
    isTaken: (name: string) => boolean = () => false,
  ): Promise<Found | null> {
    const present = await objectsIn({ kind, parentId });
    const record = ownByName.get(keyOf(kind.noun, parentId, name));
    const kept = record && present.byId.get(record.objectId);
    if (kept && (canonicalName(kind, kept.name) === name || !isTaken(kept.name))) {
      return kept;
    }
    const named = present.byName.get(name) ?? [];
    if (named.length > 1) {
      throw new Refusal(`${named.length} objects have this name: give them different names`, null);
    }
    return named[0] ?? null;
  }

  return {
    byName,
    byId: async (place: Place, id: string) => (await objectsIn(place)).byId.get(id) ?? null,
    /** All objects of a place, by name. */
    groups: async (place: Place) => [...(await objectsIn(place)).byName].sort(([a], [b]) => (a < b ? -1 : 1)),
    add: async (place: Place, found: Found) => put(await objectsIn(place), place.kind, found),
    recordOf: (kind: Kind, id: string) => recordById.get(keyOf(kind.noun, id)) ?? null,
  };
}

export type Finder = ReturnType<typeof createFinder>;
