import { randomUUID } from "node:crypto";
import { getBalance } from "@/server/billing";
import { isTransient } from "@/server/db";
import { withinMs } from "@/server/deadline";
import { GatewayError } from "@/server/errors";
import type { VideoContent } from "@/server/upstream";
import { admitTask, findRepeated, forgetOldKeys } from "./admission";
import { cancelTask } from "./cancel";
import { claimDue, claimTask } from "./claims";
import { pinnedUpstream, type VideoDeps } from "./deps";
import { handOver, type VideoRoute } from "./hand-over";
import type { TaskView, VideoOrder } from "./order";
import { endPoisoned } from "./poisoned";
import { pollTask } from "./poll";
import { recoverTask } from "./recover";
import { findTask, listTasks, type TaskRow } from "./rows";

export type Videos = {
  /**
   * Freezes the price and hands the task to an upstream. Throws unpricedVideo (404), invalidParameters (400),
   * quotaExhausted (402), noVideoChannel (503), upstreamsUnavailable (502), upstreamRejected (400),
   * idempotencyMismatch (409). Once it has frozen it goes on although the client hangs up.
   */
  submit: (order: VideoOrder) => Promise<TaskView>;
  /**
   * The task, freshly asked for when it is this account's and nobody has asked within the debounce. null: there is none.
   */
  status: (taskId: string, accountId: string) => Promise<TaskView | null>;
  /** The file of a completed task that its vendor shows to its own key only. null: there is none. */
  content: (taskId: string, range: string | null) => Promise<VideoContent | null>;
  /** Newest first. `accountId` absent: of all. */
  list: (filter: { accountId?: string; limit: number }) => Promise<TaskView[]>;
  /** An operator's: at the upstream where that can, and the money is returned only when it says that it did. */
  cancel: (taskId: string) => Promise<"cancelled" | "too_late" | "unsupported">;
  /**
   * One round of the worker: begins to look at what is due, and at what a dead process left, and does not wait for the
   * upstreams. How many tasks.
   */
  work: () => Promise<number>;
  /** Forgets Idempotency-Keys that are too old to be repeats. */
  tidy: () => Promise<void>;
  /** Waits, but not for ever, for what is under way at upstreams. */
  close: (options?: { patienceMs: number }) => Promise<void>;
};

/** Longer than an upstream is waited for. */
const LEASE_MS = 45_000;
/** A query does not wait longer than this for the upstream; the look goes on without it. */
const INLINE_MS = 5_000;
/** An upstream is asked about so many tasks at a time by one process, and so many more while they are claimed. */
const LOOKS_PER_CHANNEL = 16;
/** Claims of one round of the worker, which comes every second. */
const PASSES = 20;
/** A backstop: silences have their own deadline, and a client may read as slowly as it likes. */
const CONTENT_TIMEOUT_MS = 3_600_000;
const CLOSE_PATIENCE_MS = 25_000;

const toView = ({ errorCode, errorMessage, ...task }: TaskRow): TaskView => ({
  ...task,
  error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? "" },
});

/** A database that is away is a 503, as for every other call. */
function asUnavailable(error: unknown): never {
  throw isTransient(error) ? new GatewayError("unavailable", "", { cause: error }) : error;
}

export function createVideos(deps: VideoDeps): Videos {
  const { db } = deps;
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const done = () => void underWay.delete(work);
    work.then(done, done);
    return work;
  };
  const claiming = () => ({ now: deps.clock(), debounceMs: deps.debounceMs, leaseMs: LEASE_MS });

  /** The ways to an upstream that can make this very video. Throws noVideoChannel and invalidParameters. */
  async function findWays(order: VideoOrder, price: bigint): Promise<VideoRoute[]> {
    const ways = (await deps.channels.routes(order.modelId)).flatMap((route) => {
      const adapter = deps.upstreams[route.dialect].videos;
      return adapter ? [{ route, adapter }] : [];
    });
    if (ways.length === 0) {
      const month = { accountId: order.accountId, period: deps.billing.period() };
      const { available } = await getBalance(db.sql, month);
      throw available < price
        ? new GatewayError("quotaExhausted")
        : new GatewayError("noVideoChannel", order.modelId);
    }
    const refusals = ways.map(({ route, adapter }) =>
      adapter.refusal({ ...order, model: route.upstreamName }),
    );
    const able = ways.filter((_way, index) => refusals[index] === null);
    if (able.length === 0) {
      throw new GatewayError("invalidParameters", refusals[0] ?? "");
    }
    return able;
  }

  async function priceOf({ modelId, durationSeconds, resolution }: VideoOrder): Promise<bigint> {
    const model = await deps.catalog.get(modelId, "video");
    const priced = model.videoPrices.find(
      (entry) => entry.durationSeconds === durationSeconds && entry.resolution === resolution,
    );
    if (!priced) {
      const sold = model.videoPrices.map((entry) => `${entry.durationSeconds} 秒 ${entry.resolution}`);
      // Without a resolution the spec means 720p, which not every model is sold in.
      throw new GatewayError(
        "unpricedVideo",
        `${modelId}, ${durationSeconds} 秒 ${resolution} (已定价: ${sold.join("、") || "无"})`,
      );
    }
    return priced.price;
  }

  async function submit(order: VideoOrder): Promise<TaskRow> {
    const repeated = await findRepeated(db.sql, order);
    if (repeated) {
      return repeated;
    }
    const price = await priceOf(order);
    const ways = await findWays(order, price);
    const taskId = `task_${randomUUID().replaceAll("-", "")}`;
    const task = await admitTask(deps, { taskId, order, price });
    if (task) {
      return await handOver(deps, task, ways);
    }
    const first = await findRepeated(db.sql, order);
    if (!first) {
      // The one that came first has come to nothing since.
      throw new GatewayError("unavailable");
    }
    return first;
  }

  /** Looks under way by channel: one that does not answer must not hold up the others. */
  const looks = new Map<string, number>();
  /** The last round left work behind because channels were full: it is taken up as their looks end. */
  let hasLeftovers = false;
  let isClosing = false;

  async function lookAt(task: TaskRow): Promise<void> {
    const channel = task.channelId ?? "";
    looks.set(channel, (looks.get(channel) ?? 0) + 1);
    try {
      await (task.state === "submitting" ? recoverTask(deps, task) : pollTask(deps, task));
    } catch (error) {
      // One poisoned row is nobody else's; its lease brings it back.
      deps.log.error({ err: error, taskId: task.id }, "video task");
      await endPoisoned(deps, task, error);
    } finally {
      const rest = (looks.get(channel) ?? 1) - 1;
      looks.set(channel, rest);
      if (hasLeftovers && !isClosing && rest <= LOOKS_PER_CHANNEL / 2) {
        hasLeftovers = false;
        track(work()).catch((error: unknown) => deps.log.warn({ err: error }, "videos failed"));
      }
    }
  }

  /** Takes up what is due, as much of it as a channel is asked at a time. */
  async function work(): Promise<number> {
    let taken = 0;
    hasLeftovers = false;
    for (let pass = 0; pass < PASSES; pass++) {
      const busy = [...looks].filter(([, count]) => count >= LOOKS_PER_CHANNEL).map(([channel]) => channel);
      const due = await claimDue(db.sql, { limit: LOOKS_PER_CHANNEL, busy }, claiming());
      for (const task of due) {
        void track(lookAt(task));
      }
      taken += due.length;
      hasLeftovers ||= due.length === LOOKS_PER_CHANNEL || busy.length > 0;
      if (due.length < LOOKS_PER_CHANNEL) {
        break;
      }
    }
    return taken;
  }

  return {
    submit: async (order) => toView(await track(submit(order)).catch(asUnavailable)),
    status: async (taskId, accountId) => {
      const claimed = await claimTask(db.sql, { taskId, accountId }, claiming()).catch(asUnavailable);
      if (claimed) {
        // What comes late, or goes wrong, is in the row the next time.
        await withinMs(track(lookAt(claimed)), INLINE_MS);
      }
      const task = await findTask(db.sql, taskId).catch(asUnavailable);
      return task && toView(task);
    },
    content: async (taskId, range) => {
      const task = await findTask(db.sql, taskId);
      const pinned = task && pinnedUpstream(deps, task);
      if (task?.state !== "completed" || task.upstreamRef === null || !pinned?.adapter.content) {
        return null;
      }
      const target = { ...pinned.target, signal: AbortSignal.timeout(CONTENT_TIMEOUT_MS) };
      return await pinned.adapter.content(target, task.upstreamRef, range);
    },
    list: async (filter) => (await listTasks(db.sql, filter)).map(toView),
    cancel: (taskId) => track(cancelTask(deps, taskId, claiming)),
    work,
    tidy: () => forgetOldKeys(db.sql, deps.clock()),
    close: async ({ patienceMs } = { patienceMs: CLOSE_PATIENCE_MS }) => {
      isClosing = true;
      await withinMs(Promise.allSettled(underWay), patienceMs);
    },
  };
}
