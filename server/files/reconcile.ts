/** Brings one object to what its file says, by the operations, and says what differed. */
import { type Db, type Tx, transaction } from "@/server/db";
import { Refusal } from "@/server/domain/refusal";
import { keepLabelled } from "@/server/labels";
import type { Door } from "@/server/operations";
import { type DesiredObject, titleOf } from "./desired";
import type { Finder } from "./finder";
import {
  type Advised,
  changes,
  type Found,
  type Ids,
  type Kind,
  type Members,
  referenceName,
  type Step,
} from "./kind";
import { type Difference, differencesOf, namedOf, type Outcome } from "./outcome";
import { isSame, viewOf } from "./view";

export type Run = {
  door: Door;
  db: Db;
  finder: Finder;
  label: string;
  /** The titles of all objects that the files name. */
  titles: ReadonlySet<string>;
  /** The identifier of each object that was found or made. */
  ids: Map<DesiredObject, string>;
  /** Nothing stays. */
  isTrial: boolean;
};

/** Undoes the transaction of one object. */
class Undone extends Error {
  constructor(readonly outcome: Outcome) {
    super("undone");
  }
}

/** The object cannot be changed to what its file says. */
export class CannotChange extends Error {
  constructor(
    readonly member: string,
    message: string,
  ) {
    super(message);
  }
}

const nameOf = (run: Run) => async (kind: Kind, id: string) =>
  (await run.finder.byId({ kind, parentId: null }, id))?.name ?? id;

const readView = async (run: Run, tx: Db, { kind, ...ids }: Ids & { kind: Kind }): Promise<Members> =>
  await viewOf(kind, await kind.read(tx, ids), nameOf(run));

/** The members under the names of the operations: identifiers instead of names. */
async function forOperations(run: Run, kind: Kind, members: Members): Promise<Members> {
  const own = { ...members };
  for (const [member, other] of Object.entries(kind.references)) {
    const name = own[referenceName(member)];
    delete own[referenceName(member)];
    if (typeof name === "string") {
      const found = await run.finder.byName({ kind: other(), parentId: null }, name);
      if (!found) {
        throw new CannotChange(referenceName(member), `there is no ${other().noun} "${name}"`);
      }
      own[member] = found.id;
    } else if (name === null) {
      own[member] = null;
    }
  }
  return own;
}

const secretNote = ({ kind, secrets }: DesiredObject, verb: string): Difference[] =>
  kind.secret && secrets ? [{ member: kind.secret.member, note: `${verb} (${secrets.from})` }] : [];

async function advise(
  { titles, isTrial }: Run,
  tx: Db,
  {
    kind,
    secrets,
    ...object
  }: Pick<DesiredObject, "kind" | "secrets"> & Pick<Advised, "id" | "name" | "view" | "isNew">,
) {
  const about = { hasSecret: secrets !== null, isTrial, isNamed: (title: string) => titles.has(title) };
  return (await kind.advise?.(tx, { ...object, ...about })) ?? null;
}

const outcomeOf = ({ title, place }: DesiredObject, outcome: Omit<Outcome, "title" | "place">): Outcome => ({
  title,
  place,
  ...outcome,
});

async function runSteps(
  run: Run,
  tx: Tx,
  { kind, steps, ids, members }: { kind: Kind; steps: readonly Step[]; ids: Ids; members: Members },
): Promise<void> {
  const own = await forOperations(run, kind, members);
  for (const each of steps) {
    if (Object.keys(members).some((member) => changes(each, member, kind))) {
      await each.run({ ...run.door, db: tx }, { ...own, ...kind.target(ids) });
    }
  }
}

/** A new object: one operation creates it, and others set the members that it cannot have from the start. */
async function create(run: Run, desired: DesiredObject, parentId: string | null): Promise<Outcome> {
  const { kind, name, members, secrets } = desired;
  const { found, outcome } = await transaction(run.db, async (tx) => {
    const input: Members = {
      ...(await forOperations(run, kind, members)),
      ...(kind.secret && secrets && { [kind.secret.member]: kind.secret.fresh(secrets.values) }),
      [kind.name]: name,
    };
    const result = await kind.create.run(
      { ...run.door, db: tx },
      { ...kind.target({ id: "", parentId }), ...input },
    );
    const ids = { id: kind.idOf(result, name, parentId), parentId };
    const before = await readView(run, tx, { kind, ...ids });
    const rest = Object.entries(members).filter(
      ([member, value]) =>
        !changes(kind.create, member, kind) && !isSame(kind, member, [value, before[member]]),
    );
    await runSteps(run, tx, { kind, steps: kind.steps, ids, members: Object.fromEntries(rest) });
    await keepLabelled(tx, { ...recordOf(run, desired, ids), isCreated: true });
    const view = await readView(run, tx, { kind, ...ids });
    const made = { id: ids.id, name, view };
    const advice = await advise(run, tx, { kind, secrets, ...made, isNew: true });
    const differences = [...namedOf(desired, view), ...secretNote(desired, "set")];
    return { found: made, outcome: outcomeOf(desired, { action: "create", differences, advice }) };
  });
  // After the commit: others may refer to it only then.
  await run.finder.add({ kind, parentId }, found);
  run.ids.set(desired, found.id);
  return outcome;
}

const recordOf = (run: Run, { kind, name }: DesiredObject, { id, parentId }: Ids) => ({
  kind: kind.noun,
  objectId: id,
  label: run.label,
  parentId,
  name: kind.isRenamable ? name : null,
  isPruned: false,
});

/** The members of the file that the installation has otherwise, and of these the secret. */
async function dueOf(run: Run, desired: DesiredObject, { ids, view }: { ids: Ids; view: Members }) {
  const { kind, members, secrets } = desired;
  const record = run.finder.recordOf(kind, ids.id);
  const revived = record?.isPruned === true ? kind.prune.enabled : null;
  const due = Object.entries({ ...revived, ...members }).filter(
    ([member, value]) => !isSame(kind, member, [value, view[member]]),
  );
  const fixed = due.find(([member]) => !kind.steps.some((each) => changes(each, member, kind)));
  if (fixed) {
    throw new CannotChange(fixed[0], `it cannot change, and this ${kind.noun} has ${String(view[fixed[0]])}`);
  }
  const ground = { db: run.db, vault: run.door.vault, secrets: run.door.secrets };
  const changed =
    kind.secret && secrets
      ? await kind.secret.changed(ground, {
          ...ids,
          secrets: secrets.values,
          due: Object.fromEntries(due),
          view,
        })
      : undefined;
  const secret = kind.secret && changed !== undefined ? { [kind.secret.member]: changed } : null;
  return { members: { ...Object.fromEntries(due), ...secret }, hasNewSecret: secret !== null };
}

/** Changes an object. A difference that the operations do not see, such as another spelling, is undone. */
async function change(
  run: Run,
  desired: DesiredObject,
  { found, parentId }: { found: Found; parentId: string | null },
) {
  const { kind } = desired;
  const ids = { id: found.id, parentId };
  const record = run.finder.recordOf(kind, ids.id);
  if (record && record.label !== run.label) {
    throw new Refusal(`it belongs to the label "${record.label}"`, null);
  }
  const view = await viewOf(kind, found.view, nameOf(run));
  const due = await dueOf(run, desired, { ids, view });
  run.ids.set(desired, ids.id);
  const none = outcomeOf(desired, { action: "none", differences: [], advice: null });
  if (Object.keys(due.members).length === 0) {
    return none;
  }
  try {
    return await transaction(run.db, async (tx) => {
      const before = await readView(run, tx, { kind, ...ids });
      await runSteps(run, tx, { kind, steps: kind.steps, ids, members: due.members });
      const after = await readView(run, tx, { kind, ...ids });
      const differences = [
        ...differencesOf(before, after),
        ...(due.hasNewSecret ? secretNote(desired, "changed") : []),
      ];
      if (differences.length === 0) {
        throw new Undone(none);
      }
      const { name, secrets } = desired;
      const advice = await advise(run, tx, { kind, secrets, name, id: ids.id, view: after, isNew: false });
      const outcome = outcomeOf(desired, { action: "change", differences, advice });
      if (run.isTrial) {
        throw new Undone(outcome);
      }
      await keepLabelled(tx, { ...recordOf(run, desired, ids), isCreated: record?.isCreated ?? false });
      return outcome;
    });
  } catch (error) {
    if (error instanceof Undone) {
      return error.outcome;
    }
    throw error;
  }
}

/** null: the object it belongs to could not be applied. Throws Refusal, ZodError and CannotChange. */
export async function reconcile(run: Run, desired: DesiredObject): Promise<Outcome | null> {
  const { kind, parent, name } = desired;
  const parentId = parent === null ? null : run.ids.get(parent);
  if (parentId === undefined) {
    return null;
  }
  const isTaken = (present: string) => run.titles.has(titleOf(kind, present, parent));
  const found = await run.finder.byName({ kind, parentId }, name, isTaken);
  return found ? await change(run, desired, { found, parentId }) : await create(run, desired, parentId);
}

/** Keeps the label of an object that is as its file says. */
export async function adopt(run: Run, desired: DesiredObject): Promise<void> {
  const id = run.ids.get(desired);
  if (id === undefined) {
    return;
  }
  const parentId = desired.parent === null ? null : (run.ids.get(desired.parent) ?? null);
  const present = run.finder.recordOf(desired.kind, id);
  const record = recordOf(run, desired, { id, parentId });
  if (present === null || present.name !== record.name || present.isPruned) {
    await keepLabelled(run.db, { ...record, isCreated: present?.isCreated ?? false });
  }
}
