import { setTimeout as sleep } from "node:timers/promises";
import type { Route } from "@/server/channels";
import { isTransient } from "@/server/db";
import { GatewayError } from "@/server/errors";
import type { Submitted, VideoUpstream } from "@/server/upstream";
import type { VideoDeps } from "./deps";
import { after } from "./moments";
import { moveTask } from "./move";
import { findTask, specOf, type TaskRow } from "./rows";
import { scrub } from "./scrub";
import type { TaskEvent } from "./task";

/** A way to an upstream that can make this very video. */
export type VideoRoute = { route: Route; adapter: VideoUpstream };

type Way = VideoRoute & { secret: string };

const SUBMIT_TIMEOUT_MS = 30_000;
/** No further channel is tried after so long: one more time-out must end within the submission's lease. */
const ENOUGH_MS = 45_000;
/** How long the acceptance is written down again and again while the database is away. */
const PATIENCE_MS = 20_000;
/** A vendor may list a task a moment after it took it. */
const LOOK_AGAIN_MS = 15_000;

/** Replicas count a channel's open tasks one after the other; who does not come to it in so long, takes it for full. */
const PIN_TRIES = 50;
const PIN_WAIT_MS = 100;

/**
 * Pins the task to a channel and marks it as sent, in a commit of its own, before anything is sent: from here on it is
 * never sent again by anyone who was not told that it was refused. `full`: the channel has as many open tasks as it
 * takes. `gone`: the task has ended meanwhile, its process taken for dead.
 */
async function pin(deps: VideoDeps, task: TaskRow, way: Way): Promise<"pinned" | "full" | "gone"> {
  for (let attempt = 0; attempt < PIN_TRIES; attempt++) {
    const outcome = await tryPin(deps, task, way);
    if (outcome !== "busy") {
      return outcome;
    }
    // Not in the database: a connection that waits for a lock is one that no charge can use.
    await sleep(PIN_WAIT_MS);
  }
  return "full";
}

async function tryPin(deps: VideoDeps, task: TaskRow, { route, adapter, secret }: Way) {
  const limit = route.maxTasks ?? adapter.usualTasks;
  return await deps.db.sql.begin(async (sql) => {
    if (limit !== null) {
      const [lock] = await sql<{ taken: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtextextended(${route.channelId}, 0)) as taken`;
      if (!lock?.taken) {
        return "busy" as const;
      }
      const [open] = await sql<{ count: number }[]>`
        select count(*)::int as count from video_tasks
        where channel_id = ${route.channelId} and id <> ${task.id} and state in ('submitting', 'processing')`;
      if ((open?.count ?? 0) >= limit) {
        return "full" as const;
      }
    }
    const now = deps.clock();
    const upstream = { dialect: route.dialect, baseUrl: route.baseUrl, model: route.upstreamName };
    const pinned = await sql`
      update video_tasks set
        channel_id = ${route.channelId}, upstream = ${sql.json(upstream)},
        credential = ${deps.vault.seal(secret)}, submit_started_at = ${now}
      where id = ${task.id} and state = 'submitting' and lease_until > ${now}
      returning 1`;
    return pinned.length > 0 ? ("pinned" as const) : ("gone" as const);
  });
}

async function send(deps: VideoDeps, task: TaskRow, { route, adapter, secret }: Way): Promise<Submitted> {
  const target = { baseUrl: route.baseUrl, secret, signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS) };
  const submitted = await adapter.submit(target, specOf(task, route.upstreamName), task.id).catch(
    (error: unknown): Submitted => ({
      kind: "unknown",
      message: String(error),
    }),
  );
  if (submitted.kind !== "accepted") {
    const { kind, message } = submitted;
    deps.log.warn({ taskId: task.id, channelId: route.channelId, kind }, `video submission: ${message}`);
  }
  return submitted;
}

/** Writes down that an upstream has the task: what it makes is to be paid, so the database is waited for. */
async function keepAcceptance(deps: VideoDeps, task: TaskRow, ref: string): Promise<TaskRow> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
    try {
      const now = deps.clock();
      const findings = { upstreamRef: ref, nextPollAt: after(now, deps.debounceMs) };
      const moved = await moveTask(deps.db, { taskId: task.id, event: { kind: "accepted" }, now }, findings);
      if (!moved) {
        deps.log.error({ taskId: task.id, ref }, "a video task had ended before its upstream took it");
      }
      return moved ?? (await findTask(deps.db.sql, task.id)) ?? task;
    } catch (error) {
      if (!isTransient(error) || performance.now() + wait > deadline) {
        // The row says that it was sent; the worker looks for it at the vendor.
        deps.log.error({ err: error, taskId: task.id, ref }, "a video task's acceptance is not stored");
        return task;
      }
      await sleep(wait);
    }
  }
}

async function giveUp(deps: VideoDeps, task: TaskRow, event: TaskEvent & { kind: "failed" }): Promise<void> {
  await moveTask(deps.db, { taskId: task.id, event, now: deps.clock() });
}

/** Leaves a task whose answer is lost to the worker. Without the database its lease does, a little later. */
async function lookSoon(deps: VideoDeps, task: TaskRow): Promise<void> {
  try {
    await deps.db.sql`
      update video_tasks set lease_until = null, next_poll_at = ${after(deps.clock(), LOOK_AGAIN_MS)}
      where id = ${task.id} and state = 'submitting'`;
  } catch (error) {
    deps.log.warn({ err: error, taskId: task.id }, "a lost video submission is looked for later");
  }
}

/**
 * Hands a stored task to the first upstream that takes it. Throws upstreamRejected (400), upstreamsUnavailable (502) and
 * noVideoChannel (503, every channel is full); then the money is free again. An answer that is lost leaves the task open.
 */
export async function handOver(deps: VideoDeps, task: TaskRow, routes: VideoRoute[]): Promise<TaskRow> {
  let wasAsked = false;
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
      wasAsked = true;
      const submitted = await send(deps, task, { route, adapter, secret });
      if (submitted.kind === "accepted") {
        return await keepAcceptance(deps, task, submitted.ref);
      }
      if (submitted.kind === "unknown") {
        await lookSoon(deps, task);
        return task;
      }
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
    message: "没有上游渠道接受该任务",
  });
  throw wasAsked
    ? new GatewayError("upstreamsUnavailable")
    : new GatewayError("noVideoChannel", task.modelId);
}
