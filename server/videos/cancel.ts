import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@/server/base/errors";
import type { AccountId, TaskId } from "@/server/domain/ids";
import { type Claiming, claimTask, returnTask } from "./claims";
import { pinnedUpstream, type VideoDeps } from "./deps";
import { moveTask } from "./move";
import { findTask, type TaskRow } from "./rows";
import { after } from "./task";

const TIMEOUT_MS = 15_000;
const TRY_EVERY_MS = 250;
/** Longer than a poll takes, in addition to the debounce. */
const PATIENCE_MS = 25_000;

type Cancelled = "cancelled" | "too_late" | "unsupported";

/**
 * Claims the task as for a poll: with most vendors a task must be polled before it can be cancelled, and no poll is
 * made within the debounce. null: it has ended meanwhile. Throws unavailable if the claim does not succeed in time.
 */
async function awaitTurn(deps: VideoDeps, task: TaskRow, claiming: () => Claiming): Promise<TaskRow | null> {
  const deadline = performance.now() + deps.debounceMs + PATIENCE_MS;
  for (;;) {
    const claimed = await claimTask(deps.db, { taskId: task.id, accountId: task.accountId }, claiming());
    if (claimed) {
      return claimed;
    }
    if ((await findTask(deps.db, task.id))?.state !== "processing") {
      return null;
    }
    if (performance.now() > deadline) {
      throw new GatewayError("unavailable");
    }
    await sleep(TRY_EVERY_MS);
  }
}

/**
 * Asks the upstream to stop. The task is cancelled and its money returned only if the upstream confirms that it
 * stopped. Throws unknownTask, unavailable, and upstreamsUnavailable if the upstream does not answer.
 */
export async function cancelTask(
  deps: VideoDeps,
  { taskId, accountId }: { taskId: TaskId; accountId?: AccountId | undefined },
  claiming: () => Claiming,
): Promise<Cancelled> {
  const task = await findTask(deps.db, taskId);
  if (!task || (accountId !== undefined && task.accountId !== accountId)) {
    throw new GatewayError("unknownTask");
  }
  const pinned = pinnedUpstream(deps, task);
  if (task.state !== "processing" || !pinned || task.upstreamRef === null) {
    return task.state === "cancelled" ? "cancelled" : "too_late";
  }
  const { adapter, target } = pinned;
  if (!adapter.cancel) {
    return "unsupported";
  }
  const claimed = await awaitTurn(deps, task, claiming);
  if (!claimed) {
    return (await findTask(deps.db, taskId))?.state === "cancelled" ? "cancelled" : "too_late";
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await adapter.cancel({ ...target, signal }, task.upstreamRef);
  const now = deps.clock();
  if (answer === "cancelled") {
    const moved = await moveTask(deps, { taskId, event: { kind: "cancelled" }, now });
    return moved ? "cancelled" : "too_late";
  }
  await returnTask(deps.db, taskId, {
    ...claimed,
    lookedAt: now,
    nextPollAt: after(now, deps.debounceMs),
  });
  if (answer === "unknown") {
    throw new GatewayError("upstreamsUnavailable");
  }
  return answer;
}
