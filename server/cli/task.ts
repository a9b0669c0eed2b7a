import { getAccount } from "@/server/access";
import { createBilling } from "@/server/billing";
import { createCatalog } from "@/server/catalog";
import { createChannels } from "@/server/channels";
import { systemClock } from "@/server/clock";
import { GatewayError } from "@/server/errors";
import { createLog } from "@/server/log";
import { createMetrics } from "@/server/metrics";
import { formatMoney } from "@/server/money";
import { Refusal } from "@/server/refusal";
import { vaultOf } from "@/server/secret-checks";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { createVideos, type TaskView, type Videos } from "@/server/videos";
import { changing } from "./changing";
import { type Command, type Context, need, text, wholeNumber } from "./command";

const view = (task: TaskView) => ({
  id: task.id,
  account: task.accountId,
  model: task.modelId,
  duration: task.durationSeconds,
  resolution: task.resolution,
  status: task.state,
  progress: task.progress,
  price: formatMoney(task.price),
  channel: task.channelId,
  created_at: task.createdAt,
  deadline_at: task.deadlineAt,
  ended_at: task.endedAt,
  error: task.error?.code ?? null,
  late_result: task.lateResult,
});

/** The room over the running server's database. Its worker does not run here. */
async function withVideos<T>(
  { config, db, secrets }: Context,
  act: (videos: Videos) => Promise<T>,
): Promise<T> {
  const dispatcher = createDispatcher();
  const log = createLog("silent");
  const vault = vaultOf(secrets);
  const upstreams = createUpstreams(dispatcher);
  const timeoutMs = config.UPSTREAM_TIMEOUT_SECONDS * 1000;
  const billing = createBilling({ db, clock: systemClock, log, timeZone: config.BILLING_TIMEZONE });
  const videos = createVideos({
    db,
    vault,
    upstreams,
    billing,
    log,
    catalog: createCatalog({ db }),
    channels: createChannels({ db, vault, upstreams, timeoutMs, log }),
    metrics: createMetrics(),
    clock: systemClock,
    timeoutMs: config.VIDEO_TIMEOUT_SECONDS * 1000,
    debounceMs: config.VIDEO_POLL_SECONDS * 1000,
    random: Math.random,
  });
  try {
    return await act(videos);
  } finally {
    await videos.close();
    await billing.close();
    await dispatcher.destroy();
  }
}

const list: Command = {
  summary: "Show the newest video tasks, of all accounts or of one",
  flags: { account: { type: "string" }, limit: { type: "string" } },
  run: async (context, values) => {
    const limit = wholeNumber(values, "limit", { min: 1, max: 10_000 }) ?? 50;
    const name = text(values, "account");
    const account = name === undefined ? {} : { accountId: (await getAccount(context.db.orm, name)).id };
    return await withVideos(context, async (videos) =>
      (await videos.list(account, { limit })).rows.map(view),
    );
  },
};

const unknownTask = (id: string) => new Refusal(`there is no task "${id}"`, "taskUnknown");

const reasons: Record<string, (id: string) => Refusal> = {
  unknownTask,
  upstreamsUnavailable: (id) =>
    new Refusal(`the upstream of ${id} does not say whether it stopped: try again`, null),
};

const cancel: Command = {
  summary: "Ask a video task's upstream to stop; its money is returned only if it does",
  flags: { task: { type: "string", required: true } },
  run: (context, values) =>
    withVideos(context, async (videos) => {
      const id = need(values, "task");
      const task = await videos.find(id);
      if (!task) {
        throw unknownTask(id);
      }
      // Before it is tried: the vendor is asked outside any transaction, and what it says moves the task in one of its
      // own.
      await changing(context, "task.cancel", async () => ({
        accountId: task.accountId,
        target: { id, name: id },
        before: { status: task.state },
        result: null,
      }));
      const outcome = await videos.cancel(id).catch((error: unknown) => {
        throw (error instanceof GatewayError && reasons[error.kind]?.(id)) || error;
      });
      return { id, outcome };
    }),
};

export const taskCommands: Record<string, Command> = { list, cancel };
