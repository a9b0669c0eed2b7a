import { setTimeout as sleep } from "node:timers/promises";
import type { Route } from "@/server/channels";
import type { VideoUpstream } from "@/server/upstream";
import type { VideoDeps } from "./deps";
import type { TaskRow } from "./rows";

/** A way to an upstream that can make this very video. */
export type VideoRoute = { route: Route; adapter: VideoUpstream };

/** The same with one of the channel's credentials. */
export type CandidateWithSecret = VideoRoute & { secret: string };

/**
 * Replicas count a channel's open tasks one after the other; who does not come to it in so long, takes it for full.
 */
const PIN_TRIES = 50;
const PIN_WAIT_MS = 100;

/**
 * Pins the task to a channel and marks it as sent, in a commit of its own, before anything is sent: from here on it is
 * never sent again by anyone who was not told that it was refused. `full`: the channel has as many open tasks as it
 * takes. `gone`: the task has ended meanwhile, its process taken for dead.
 */
export async function pin(
  deps: VideoDeps,
  task: TaskRow,
  candidate: CandidateWithSecret,
): Promise<"pinned" | "full" | "gone"> {
  for (let attempt = 0; attempt < PIN_TRIES; attempt++) {
    const outcome = await tryPin(deps, task, candidate);
    if (outcome !== "busy") {
      return outcome;
    }
    // Not in the database: a connection that waits for a lock is one that no charge can use.
    await sleep(PIN_WAIT_MS);
  }
  return "full";
}

async function tryPin(deps: VideoDeps, task: TaskRow, { route, adapter, secret }: CandidateWithSecret) {
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
    const upstream = { dialect: route.api, baseUrl: route.baseUrl, model: route.upstreamName };
    const pinned = await sql`
      update video_tasks set
        channel_id = ${route.channelId}, upstream = ${sql.json(upstream)},
        credential = ${deps.vault.seal(secret)}, submit_started_at = ${now}
      where id = ${task.id} and state = 'submitting' and lease_until > ${now}
      returning 1`;
    return pinned.length > 0 ? ("pinned" as const) : ("gone" as const);
  });
}
