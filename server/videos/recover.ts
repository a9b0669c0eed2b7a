import { failures } from "@/server/domain/task-failures";
import { returnClaim } from "./claims";
import { pinnedUpstream, type VideoDeps } from "./deps";
import { moveTask } from "./move";
import { findTakenRefs, specOf, type TaskRow } from "./rows";
import { after, type TaskEvent } from "./task";

/** After so long, a task that its vendor does not list never reached the vendor. */
const SEARCH_MS = 120_000;
const FIND_TIMEOUT_MS = 15_000;

/**
 * The task's reference at its vendor, if the vendor can search and has it. Throws the error of a vendor that does not
 * answer.
 */
async function search(deps: VideoDeps, task: TaskRow, since: Date): Promise<string | null> {
  const pinned = pinnedUpstream(deps, task);
  if (!pinned?.adapter.find || !task.upstream) {
    return null;
  }
  const target = { ...pinned.target, signal: AbortSignal.timeout(FIND_TIMEOUT_MS) };
  const spec = specOf(task, task.upstream.model);
  const takenRefs = await findTakenRefs(deps.db, task);
  return await pinned.adapter.find(target, { spec, taskId: task.id, since, usedRefs: takenRefs });
}

/**
 * Recovers a claimed task that no upstream is known to have. If it was never sent, its client was never answered, so
 * the money is returned. If it was sent and the answer was lost, it is searched for and never sent again; after two
 * minutes it ends without a charge, and an operator must check what the vendor may still produce.
 */
export async function recoverTask(deps: VideoDeps, task: TaskRow): Promise<void> {
  const end = (event: TaskEvent) => moveTask(deps, { taskId: task.id, event, now: deps.clock() });
  if (task.submitStartedAt === null) {
    await end({ kind: "failed", code: "upstream_error", message: failures.notSubmitted.zh });
    return;
  }
  const vendorRef = await search(deps, task, task.submitStartedAt).catch((error: unknown) => {
    deps.log.warn(
      { err: error, taskId: task.id },
      "a video task could not be looked up: the upstream did not respond",
    );
    return null;
  });
  const now = deps.clock();
  if (vendorRef !== null) {
    const findings = { upstreamRef: vendorRef, lookedAt: now, nextPollAt: after(now, deps.debounceMs) };
    await moveTask(deps, { taskId: task.id, event: { kind: "accepted" }, now }, findings);
    return;
  }
  if (now.getTime() - task.submitStartedAt.getTime() >= SEARCH_MS) {
    deps.log.error(
      { taskId: task.id, channelId: task.channelId },
      "a video task may run unpaid at its vendor",
    );
    await end({
      kind: "failed",
      code: "submit_unknown",
      message: failures.submissionUnknown.zh,
    });
    return;
  }
  await returnClaim(deps.db, task, { now, debounceMs: deps.debounceMs });
}
