import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, gt, ne, sql } from "drizzle-orm";
import type { Route } from "@/server/channels";
import { type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { VideoUpstream } from "@/server/upstream";
import type { VideoDeps } from "./deps";
import { isOpenRow, type TaskRow } from "./rows";

const { videoTasks } = tables;

/** A route to an upstream that can make this video. */
export type VideoRoute = { route: Route; adapter: VideoUpstream };

/** A route with one of the channel's credentials. */
export type CandidateWithSecret = VideoRoute & { secret: string };

/**
 * Replicas count a channel's open tasks one after the other; a replica that does not get its turn in so many tries
 * treats the channel as full.
 */
const PIN_TRIES = 50;
const PIN_WAIT_MS = 100;

/**
 * Pins the task to a channel and marks it as sent, in a separate commit, before it is sent: after that, only a
 * process that got a refusal may send it again. `full`: the channel has as many open tasks as it accepts. `gone`: the
 * task has ended meanwhile, because its process was considered dead.
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
    // Waits here instead of in the database: a connection that waits for a lock cannot be used for a charge.
    await sleep(PIN_WAIT_MS);
  }
  return "full";
}

/** Takes the lock until the transaction ends; false: another replica counts the channel's tasks. */
async function takeTurn(tx: Tx, channelId: string): Promise<boolean> {
  const [turn] = await ormOf(tx).execute(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${channelId}, 0)) as taken`,
  );
  return turn?.taken === true;
}

async function tryPin(deps: VideoDeps, task: TaskRow, { route, adapter, secret }: CandidateWithSecret) {
  const limit = route.maxTasks ?? adapter.usualTasks;
  return await transaction(deps.db, async (tx) => {
    if (limit !== null) {
      if (!(await takeTurn(tx, route.channelId))) {
        return "busy" as const;
      }
      const isOthers = and(eq(videoTasks.channelId, route.channelId), ne(videoTasks.id, task.id), isOpenRow);
      if ((await ormOf(tx).$count(videoTasks, isOthers)) >= limit) {
        return "full" as const;
      }
    }
    const now = deps.clock();
    const pinned = await ormOf(tx)
      .update(videoTasks)
      .set({
        channelId: route.channelId,
        upstream: { dialect: route.api, baseUrl: route.baseUrl, model: route.upstreamName },
        credential: deps.vault.seal(secret),
        submitStartedAt: now,
      })
      .where(
        and(eq(videoTasks.id, task.id), eq(videoTasks.state, "submitting"), gt(videoTasks.leaseUntil, now)),
      )
      .returning({ id: videoTasks.id });
    return pinned.length > 0 ? ("pinned" as const) : ("gone" as const);
  });
}
