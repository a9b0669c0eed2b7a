import { GatewayError } from "@/server/base/errors";
import { formatMoney } from "@/server/base/money";
import { Refusal } from "@/server/domain/refusal";
import { taskOperations } from "@/server/operations";
import type { TaskView } from "@/server/videos";
import { accountOf } from "./account-flag";
import { type Command, limitOf, need } from "./command";
import { operate } from "./operate";
import { withRooms } from "./with-rooms";

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

const list: Command = {
  summary: "List the newest video tasks of all accounts or of one",
  flags: { account: { type: "string" }, limit: { type: "string" } },
  run: async (context, values) => {
    const account = { accountId: await accountOf(context, values) };
    return await withRooms(context, async ({ videos }) =>
      (await videos.list(account, { limit: limitOf(values) })).rows.map(view),
    );
  },
};

const reasons: Record<string, (id: string) => Refusal> = {
  upstreamsUnavailable: (id) =>
    new Refusal(`the upstream did not confirm that ${id} stopped; try again`, null),
};

const cancel: Command = {
  summary: "Ask the upstream to cancel a video task; the hold is released only if it stops",
  flags: { task: { type: "string", required: true } },
  run: async (context, values) => {
    const id = need(values, "task");
    const { outcome } = await operate(context, taskOperations.cancel, { taskId: id }).catch(
      (error: unknown) => {
        throw (error instanceof GatewayError && reasons[error.kind]?.(id)) || error;
      },
    );
    return { id, outcome };
  },
};

export const taskCommands: Record<string, Command> = { list, cancel };
