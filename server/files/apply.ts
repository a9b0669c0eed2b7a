/** Applies files: finds the differences first, then makes the changes, one object after the other, each in one transaction. */
import { z } from "zod";
import { type Database, type Db, type Tx, transaction } from "@/server/db";
import { Refusal, TemporaryRefusal } from "@/server/domain/refusal";
import { forgetLabelled, type Labelled, listLabelled, withApplyLock } from "@/server/labels";
import type { Door } from "@/server/operations";
import type { DesiredObject } from "./desired";
import { createFinder } from "./finder";
import { isReferenced } from "./kinds";
import type { Outcome } from "./outcome";
import type { Place } from "./problem";
import { findLeftovers, type Leftover, prune } from "./prune";
import { adopt, CannotChange, type Run, reconcile } from "./reconcile";

export type Request = {
  label: string;
  /** Only find the differences. */
  isDry: boolean;
  /** The most objects to prune; null: none. */
  prune: number | null;
};

export type Ground = {
  database: Database;
  door: Door;
  /** Says a line for people. */
  tell: (line: string) => void;
  /** Whether a person or a supervisor wants this to end. */
  isStopped: () => boolean;
};

export type Result = {
  outcomes: readonly Outcome[];
  unchanged: number;
  /** Objects that were not applied, and why. `member`: of the object, as its file has it; "" for the whole object. */
  failed: readonly { title: string; place: Place | null; member: string; message: string }[];
  /** The plan has a refusal, so nothing was tried. */
  isRefused: boolean;
  /** Objects that no file names any more and that are not pruned. */
  kept: readonly Outcome[];
};

class TrialEnded extends Error {}

type Attempt = { desired: DesiredObject; outcome: Outcome };
type Failure = Result["failed"][number];

const failureOf = (desired: DesiredObject, message: string, path: readonly PropertyKey[] = []): Failure => {
  const { member, ...place } = desired.problem(path, message);
  const own = desired.problem([], "").member;
  return { title: desired.title, place, member: member.slice(own.length).replace(/^\./, ""), message };
};

/** The failure of an object that its operations refuse. Other errors are thrown. */
function explain(desired: DesiredObject, error: unknown): Failure {
  if (error instanceof z.ZodError) {
    const [{ path, message } = { path: [], message: "" }] = error.issues;
    const [member] = path;
    const isGiven =
      Object.hasOwn(desired.members, String(member)) ||
      (member === desired.kind.secret?.member && desired.secrets !== null);
    return failureOf(desired, isGiven ? message : `a new ${desired.kind.noun} needs it`, path);
  }
  if (error instanceof CannotChange) {
    return failureOf(desired, error.message, [error.member]);
  }
  if (error instanceof Refusal) {
    return failureOf(desired, error.message);
  }
  throw error;
}

async function attempt(run: Run, desired: DesiredObject): Promise<Outcome | Failure> {
  try {
    const outcome = await reconcile(run, desired);
    return (
      outcome ?? failureOf(desired, `not tried, because its ${desired.parent?.kind.noun} was not applied`)
    );
  } catch (error) {
    return explain(desired, error);
  }
}

const isFailure = (made: Outcome | Failure): made is Failure => "message" in made;

const runOn = (
  { door }: Ground,
  {
    db,
    records,
    label,
    all,
  }: { db: Db; records: readonly Labelled[]; label: string; all: readonly DesiredObject[] },
): Run => ({
  door,
  db,
  finder: createFinder(db, { records, label }),
  label,
  titles: new Set(all.map(({ title }) => title)),
  ids: new Map(),
  isTrial: false,
});

type Plan = {
  attempts: Attempt[];
  failed: Failure[];
  leftovers: Leftover[];
  stale: Labelled[];
  records: Labelled[];
};

/** Runs `act` in a transaction, or within one in a savepoint, and undoes it. */
async function undone(db: Db, act: (tx: Tx) => Promise<void>): Promise<void> {
  await transaction(db, async (tx) => {
    await act(tx);
    throw new TrialEnded();
  }).catch((error: unknown) => {
    if (!(error instanceof TrialEnded)) {
      throw error;
    }
  });
}

/** Each object with those that belong to it. */
function treesOf(all: readonly DesiredObject[]): [DesiredObject, ...DesiredObject[]][] {
  const trees: [DesiredObject, ...DesiredObject[]][] = [];
  for (const desired of all) {
    if (desired.parent === null) {
      trees.push([desired]);
    } else {
      trees.at(-1)?.push(desired);
    }
  }
  return trees;
}

/**
 * Makes every change and undoes it: the operations themselves say what would differ and what they would refuse. Each
 * object is undone when those that belong to it have been tried, so that rows are locked for a moment, and a thousand
 * new objects are never there at once. Only objects to which others refer stay until the end.
 */
async function plan(ground: Ground, all: readonly DesiredObject[], label: string): Promise<Plan> {
  const made: Plan = { attempts: [], failed: [], leftovers: [], stale: [], records: [] };
  await undone(ground.database, async (tx) => {
    made.records = await listLabelled(tx);
    const run = { ...runOn(ground, { db: tx, records: made.records, label, all }), isTrial: true };
    const tryAll = async (tree: readonly DesiredObject[], db: Db) => {
      for (const desired of tree) {
        const outcome = await attempt({ ...run, db }, desired);
        if (isFailure(outcome)) {
          made.failed.push(outcome);
        } else {
          made.attempts.push({ desired, outcome });
        }
      }
    };
    for (const tree of treesOf(all)) {
      if (ground.isStopped()) {
        throw new TemporaryRefusal("this apply was stopped. Nothing was changed.");
      }
      await (isReferenced(tree[0].kind) ? tryAll(tree, tx) : undone(tx, (inside) => tryAll(tree, inside)));
    }
    if (made.failed.length === 0) {
      Object.assign(made, await findLeftovers(run, made.records));
    }
  });
  return made;
}

const resultOf = ({ attempts, failed, leftovers }: Plan, request: Request): Result => {
  const changed = attempts.map(({ outcome }) => outcome).filter(({ action }) => action !== "none");
  const ends = leftovers.map(({ outcome }) => outcome);
  return {
    outcomes: [...changed, ...(request.prune === null ? [] : ends)],
    unchanged: attempts.length - changed.length,
    failed,
    isRefused: failed.length > 0,
    kept: request.prune === null ? ends : [],
  };
};

function refuseTooMany({ leftovers }: Plan, most: number | null): void {
  if (most !== null && leftovers.length > most) {
    const titles = leftovers.slice(0, 10).map(({ outcome }) => outcome.title);
    const more = leftovers.length > titles.length ? `, and ${leftovers.length - titles.length} more` : "";
    throw new Refusal(
      `${leftovers.length} objects would be pruned, and --prune ${most} permits ${most}: ${titles.join(", ")}${more}. Nothing was changed.`,
      null,
    );
  }
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/** Makes changes one after the other. After an error that is none of the object's own, no further one is tried. */
function createWorker(whyNot: () => string | null) {
  const outcomes: Outcome[] = [];
  const failed: Failure[] = [];
  let broken: string | null = null;
  const failOf = (title: string, message: string) =>
    void failed.push({ title, place: null, member: "", message });
  return {
    outcomes,
    failed,
    attempt: async (title: string, act: () => Promise<Outcome | Failure>): Promise<void> => {
      const reason = broken ?? whyNot();
      if (reason !== null) {
        return failOf(title, reason);
      }
      try {
        const made = await act();
        if (isFailure(made)) {
          failed.push(made);
        } else if (made.action !== "none") {
          outcomes.push(made);
        }
      } catch (error) {
        failOf(title, reasonOf(error));
        broken = error instanceof Refusal ? null : "not tried, because of the error before";
      }
    },
  };
}

/** Makes the changes of a plan. An object that fails stops only those that belong to it, and all pruning. */
async function carryOut(
  ground: Ground,
  planned: Plan,
  { request, isHeld }: { request: Request; isHeld: () => boolean },
) {
  const all = planned.attempts.map(({ desired }) => desired);
  const run = runOn(ground, {
    ...{ db: ground.database, records: planned.records, label: request.label, all },
  });
  const { outcomes, failed, ...worker } = createWorker(() => {
    if (ground.isStopped()) {
      return "not tried, because this apply was stopped";
    }
    return isHeld() ? null : "not tried, because the connection to the database was lost";
  });
  for (const { desired } of planned.attempts) {
    await worker.attempt(desired.title, async () => {
      const made = await attempt(run, desired);
      if (!isFailure(made) && made.action === "none") {
        await adopt(run, desired);
      }
      return made;
    });
  }
  const isWhole = failed.length === 0;
  for (const leftover of request.prune === null ? [] : planned.leftovers) {
    const { outcome } = leftover;
    await worker.attempt(outcome.title, async () => {
      if (!isWhole) {
        throw new Refusal("not pruned, because not everything was applied", null);
      }
      await prune(run, leftover);
      return outcome;
    });
  }
  for (const record of isWhole ? planned.stale : []) {
    await forgetLabelled(ground.database, record);
  }
  return { outcomes, failed };
}

/**
 * Applies the objects, or with `isDry` only says what would change. If the plan already has an object that would be
 * refused, nothing is applied. Running it again after a failure does what is left. Throws Refusal.
 */
export async function apply(
  ground: Ground,
  all: readonly DesiredObject[],
  request: Request,
): Promise<Result> {
  const onWait = () => ground.tell("Another apply is running. Waiting for it.");
  const act = async (isHeld: () => boolean) => {
    const planned = await plan(ground, all, request.label);
    refuseTooMany(planned, request.prune);
    const expected = resultOf(planned, request);
    if (request.isDry) {
      return expected;
    }
    if (planned.failed.length > 0) {
      return { ...expected, outcomes: [] };
    }
    return { ...expected, ...(await carryOut(ground, planned, { request, isHeld })) };
  };
  return await withApplyLock(ground.database, act, { onWait });
}
