import { and, eq } from "drizzle-orm";
import { GatewayError } from "@/server/base/errors";
import { retryWhileTransient } from "@/server/base/retry";
import { tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { failures } from "@/server/domain/task-failures";
import type { Submitted } from "@/server/upstream";
import type { VideoDeps } from "./deps";
import { moveTask } from "./move";
import { type CandidateWithSecret, pin, type VideoRoute } from "./pin";
import { findTask, specOf, type TaskRow } from "./rows";
import { scrub } from "./scrub";
import { after, isOpen, type TaskEvent } from "./task";

const { videoTasks } = tables;

const SUBMIT_TIMEOUT_MS = 30_000;
/** After so long no further channel is tried: one more time-out must end within the submission's lease. */
const ENOUGH_MS = 45_000;
/** How long recording the acceptance is retried while the database is away. */
const PATIENCE_MS = 20_000;
/** A vendor may list a task a moment after it accepted it. */
const LOOK_AGAIN_MS = 15_000;

async function send(
  deps: VideoDeps,
  task: TaskRow,
  { route, adapter, secret }: CandidateWithSecret,
): Promise<Submitted> {
  const target = { baseUrl: route.baseUrl, secret, signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS) };
  const submitted = await adapter.submit(target, specOf(task, route.upstreamName), task.id).catch(
    (error: unknown): Submitted => ({
      kind: "unknown",
      message: String(error),
    }),
  );
  if (submitted.kind !== "accepted") {
    const { kind } = submitted;
    deps.log.warn({ taskId: task.id, channelId: route.channelId, kind }, "an upstream did not take a video");
  }
  return submitted;
}

/** Records that an upstream has the task: its result must be paid for, so this waits for the database. */
async function keepAcceptance(deps: VideoDeps, task: TaskRow, ref: string): Promise<TaskRow> {
  const keep = async () => {
    const now = deps.clock();
    const findings = { upstreamRef: ref, nextPollAt: after(now, deps.debounceMs) };
    const moved = await moveTask(deps, { taskId: task.id, event: { kind: "accepted" }, now }, findings);
    // If this try moved nothing, an earlier one committed although its answer was lost, or the task has ended.
    return moved ?? (await findTask(deps.db, task.id)) ?? task;
  };
  try {
    const kept = await retryWhileTransient(keep, PATIENCE_MS);
    if (!isOpen(kept.state)) {
      deps.log.error({ taskId: task.id, ref }, "a video task had ended before its upstream took it");
    }
    return kept;
  } catch (error) {
    // The row says that it was sent; the worker will search for it at the vendor.
    deps.log.error({ err: error, taskId: task.id, ref }, "a video task's acceptance is not stored");
    return task;
  }
}

async function giveUp(deps: VideoDeps, task: TaskRow, event: TaskEvent & { kind: "failed" }): Promise<void> {
  await moveTask(deps, { taskId: task.id, event, now: deps.clock() });
}

/**
 * Leaves a task whose answer is lost to the worker at once. If the database is away, the lease expires a little later
 * with the same effect.
 */
async function lookSoon(deps: VideoDeps, task: TaskRow): Promise<void> {
  try {
    await ormOf(deps.db)
      .update(videoTasks)
      .set({ leaseUntil: null, nextPollAt: after(deps.clock(), LOOK_AGAIN_MS) })
      .where(and(eq(videoTasks.id, task.id), eq(videoTasks.state, "submitting")));
  } catch (error) {
    deps.log.warn({ err: error, taskId: task.id }, "a lost video submission is looked for later");
  }
}

/**
 * Hands a stored task to the first upstream that accepts it. Throws upstreamRejected (400), upstreamsUnavailable and
 * upstreamMalformed (502), and noVideoChannel (503, every channel is full); the money is then returned. A lost answer
 * leaves the task open.
 */
export async function submitUpstream(deps: VideoDeps, task: TaskRow, routes: VideoRoute[]): Promise<TaskRow> {
  const refusals: string[] = [];
  const enough = performance.now() + ENOUGH_MS;
  for (const { route, adapter } of routes) {
    const first = Math.floor(deps.random() * route.secrets.length);
    for (let step = 0; step < route.secrets.length; step++) {
      const secret = route.secrets[(first + step) % route.secrets.length] ?? "";
      const pinned = performance.now() > enough ? "full" : await pin(deps, task, { route, adapter, secret });
      if (pinned === "gone") {
        throw new GatewayError("upstreamsUnavailable");
      }
      if (pinned === "full") {
        break;
      }
      const submitted = await send(deps, task, { route, adapter, secret });
      if (submitted.kind === "accepted") {
        return await keepAcceptance(deps, task, submitted.ref);
      }
      if (submitted.kind === "unknown") {
        await lookSoon(deps, task);
        return task;
      }
      refusals.push(submitted.code);
      if (submitted.fault === "request") {
        const message = scrub(submitted.message, [secret]);
        await giveUp(deps, task, { kind: "failed", code: submitted.code, message });
        throw new GatewayError("upstreamRejected", message);
      }
    }
  }
  await giveUp(deps, task, {
    kind: "failed",
    code: "upstream_capacity",
    message: failures.noChannel.zh,
  });
  if (refusals.length === 0) {
    throw new GatewayError("noVideoChannel", task.modelId);
  }
  const isUnreadable = refusals.every((code) => code === "upstream_malformed");
  throw new GatewayError(isUnreadable ? "upstreamMalformed" : "upstreamsUnavailable");
}
