import type { DialectName, VendorOrder } from "./dialect";
import type { Script } from "./script";

export type TaskState = "pending" | "running" | "succeeded" | "failed" | "cancelled" | "expired";

/** A task at a vendor. Times in simulated unix milliseconds. */
export type VendorTask = VendorOrder & {
  id: string;
  dialect: DialectName;
  account: string;
  key: string;
  submittedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  state: TaskState;
  /** The shortest wait before it runs, and the duration of its run. */
  queueMs: number;
  runMs: number;
  script: Script;
  /** The number of polls while it ran. */
  looks: number;
  /** Its record is deleted; the work continues. */
  isForgotten: boolean;
};

/** The tasks of one account and model, which compete for the same few places. */
type Lane = { waiting: VendorTask[]; running: VendorTask[]; freeSince: number };

export type Timing = (model: string, serial: number) => { queueMs: number; runMs: number };

export type Tasks = ReturnType<typeof createTasks>;
type TaskOwner = Pick<VendorTask, "dialect" | "account">;

const isOf = (task: VendorTask, { dialect, account }: TaskOwner) =>
  task.dialect === dialect && task.account === account;

const isOpen = (task: VendorTask) => task.state === "pending" || task.state === "running";

function endOf(task: VendorTask): number {
  const { startedAt, submittedAt, script } = task;
  if (startedAt === null || script.endsAfterMs === Number.POSITIVE_INFINITY) {
    return Number.POSITIVE_INFINITY;
  }
  return script.endsAfterMs === null
    ? startedAt + task.runMs
    : Math.max(startedAt, submittedAt + script.endsAfterMs);
}

/** Advances a lane to `now`, one start or end at a time, in the order in which they happened. */
function advance(lane: Lane, capacity: number, now: number): void {
  for (;;) {
    const ending = lane.running.toSorted((a, b) => endOf(a) - endOf(b))[0];
    const endsAt = ending ? endOf(ending) : Number.POSITIVE_INFINITY;
    const next = lane.running.length < capacity ? lane.waiting[0] : undefined;
    const startsAt = next
      ? Math.max(next.submittedAt + next.queueMs, lane.freeSince)
      : Number.POSITIVE_INFINITY;
    if (Math.min(endsAt, startsAt) > now) {
      return;
    }
    if (next && startsAt <= endsAt) {
      lane.waiting.shift();
      lane.running.push(next);
      next.state = "running";
      next.startedAt = startsAt;
    } else if (ending) {
      lane.running.splice(lane.running.indexOf(ending), 1);
      lane.freeSince = endsAt;
      ending.state = ending.script.ending;
      ending.endedAt = endsAt;
    }
  }
}

/** The state machine: `capacity` tasks of an account and model run at once, the others wait in a queue. */
export function createTasks(world: {
  now: () => number;
  capacity: (model: string) => number;
  timing: Timing;
}) {
  const lanes = new Map<string, Lane>();
  const tasks = new Map<string, VendorTask>();

  const laneOf = (task: Pick<VendorTask, "dialect" | "account" | "model">): Lane => {
    const name = [task.dialect, task.account, task.model].join(" ");
    const lane = lanes.get(name) ?? { waiting: [], running: [], freeSince: 0 };
    lanes.set(name, lane);
    return lane;
  };
  const refresh = (task: VendorTask): VendorTask => {
    if (isOpen(task)) {
      advance(laneOf(task), world.capacity(task.model), world.now());
    }
    return task;
  };

  return {
    create: (
      order: VendorOrder & Pick<VendorTask, "id" | "dialect" | "account" | "key" | "script">,
    ): VendorTask => {
      const { queueMs, runMs } = world.timing(order.model, tasks.size);
      const task: VendorTask = {
        ...order,
        ...{ submittedAt: world.now(), startedAt: null, endedAt: null, state: "pending", queueMs, runMs },
        ...{ looks: 0, isForgotten: false },
      };
      // Earlier events of this lane must not see the new task.
      const lane = laneOf(task);
      advance(lane, world.capacity(task.model), world.now());
      lane.waiting.push(task);
      tasks.set(task.id, task);
      return refresh(task);
    },
    /** The task in its present state. null: this account has no task with that id. */
    find: (owner: TaskOwner, taskId: string): VendorTask | null => {
      const task = tasks.get(taskId);
      return task && isOf(task, owner) ? refresh(task) : null;
    },
    /** Removes it from the queue. false: it runs or has ended. */
    cancel: (task: VendorTask): boolean => {
      const lane = laneOf(refresh(task));
      if (task.state !== "pending") {
        return false;
      }
      lane.waiting.splice(lane.waiting.indexOf(task), 1);
      task.state = "cancelled";
      task.endedAt = world.now();
      return true;
    },
    forget: (task: VendorTask): void => {
      task.isForgotten = true;
    },
    latest: (owner: TaskOwner): VendorTask | null =>
      [...tasks.values()].findLast((task) => isOf(task, owner)) ?? null,
    waiting: (owner: TaskOwner): number =>
      [...tasks.values()].filter((task) => isOf(task, owner) && refresh(task).state === "pending").length,
    /** Oldest first, in their present state. */
    all: (): VendorTask[] => [...tasks.values()].map(refresh),
  };
}
