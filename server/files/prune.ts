/** Objects that an earlier apply created and that no file names any more. */
import { transaction } from "@/server/db";
import { forgetLabelled, keepLabelled, type Labelled } from "@/server/labels";
import type { Found, Kind } from "./kind";
import { allKinds } from "./kinds";
import { type Outcome, pruneAction } from "./outcome";
import type { Run } from "./reconcile";

export type Leftover = { kind: Kind; record: Labelled; found: Found; outcome: Outcome };

const kindOf = (noun: string) => allKinds.find((each) => each.noun === noun);

async function titleOf(
  { finder }: Run,
  { noun }: Kind,
  { record, found }: Pick<Leftover, "record" | "found">,
) {
  const parentKind = allKinds.find(({ children }) => children.some((child) => child.noun === noun));
  const parent =
    parentKind && record.parentId !== null
      ? await finder.byId({ kind: parentKind, parentId: null }, record.parentId)
      : null;
  return parent ? `${noun} ${parent.name}/${found.name}` : `${noun} ${found.name}`;
}

/**
 * The leftovers of a label, those that others belong to last; and records of objects that are gone, or that people had
 * made and files name no more.
 */
export async function findLeftovers(
  run: Run,
  records: readonly Labelled[],
): Promise<{ leftovers: Leftover[]; stale: Labelled[] }> {
  const named = new Set([...run.ids].map(([{ kind }, id]) => `${kind.noun} ${id}`));
  const own = records.filter(
    ({ label, kind, objectId }) => label === run.label && !named.has(`${kind} ${objectId}`),
  );
  const leftovers: Leftover[] = [];
  const stale: Labelled[] = [];
  for (const record of own) {
    const kind = kindOf(record.kind);
    const found = kind && (await run.finder.byId({ kind, parentId: record.parentId }, record.objectId));
    if (!found || !record.isCreated) {
      stale.push(record);
    } else if (!record.isPruned) {
      const title = await titleOf(run, kind, { record, found });
      const outcome: Outcome = {
        action: pruneAction(kind),
        title,
        place: null,
        differences: [],
        advice: null,
      };
      leftovers.push({ kind, record, found, outcome });
    }
  }
  const orderOf = ({ kind }: Leftover) => allKinds.indexOf(kind);
  return { leftovers: leftovers.sort((a, b) => orderOf(b) - orderOf(a)), stale };
}

/** Removes or disables an object. Throws Refusal. */
export const prune = ({ door, db }: Run, { kind, record, found }: Leftover): Promise<void> =>
  transaction(db, async (tx) => {
    const { step, enabled, disabled } = kind.prune;
    const ids = { id: found.id, parentId: record.parentId };
    await step.run({ ...door, db: tx }, { ...disabled, ...kind.target(ids) });
    await (enabled === null ? forgetLabelled(tx, record) : keepLabelled(tx, { ...record, isPruned: true }));
  });
