import type { VendorCall, VendorDialect } from "./dialect";
import { RefusalError } from "./dialect";
import { serveVideo, signedUrl } from "./files";
import { takePollFault } from "./script";
import { submit, withhold } from "./submission";
import type { VendorTask } from "./tasks";
import { viewTask } from "./view";
import { type IncomingCall, type Outgoing, spoil, type World } from "./world";

/** How long a file can be downloaded. */
const FILE_MS = { dashscope: 86_400_000, ark: 86_400_000, "openai-video": 3_600_000 };

/** Answers the calls of every dialect: checks the key, the faults and the vendor's own rules, then uses the tasks. */
export function createVendor(world: World): (dialect: VendorDialect, call: VendorCall) => Outgoing {
  const { tasks, ledger } = world;

  /** The account's task, if the vendor still has it. Throws RefusalError. */
  const getTask = ({ dialect, account }: IncomingCall, taskId: string): VendorTask => {
    const task = tasks.find({ dialect: dialect.name, account }, taskId);
    const ageMs = task ? world.now() - task.submittedAt : 0;
    if (!task || task.isForgotten || ageMs > dialect.keepsTaskMs) {
      throw new RefusalError({ kind: "unknownTask", about: taskId });
    }
    return task;
  };

  const urlOf = (task: VendorTask) =>
    signedUrl(world.origin(), task.id, (task.endedAt ?? world.now()) + FILE_MS[task.dialect]);

  const lookAt = ({ dialect }: IncomingCall, task: VendorTask): Outgoing & { outcome: string } => {
    const fault = takePollFault(task.script);
    const view = viewTask(task, { now: world.now(), url: urlOf(task) });
    if (fault) {
      const taskId = fault === "wrong-id-echo" ? dialect.newTaskId() : task.id;
      const whole = { reply: dialect.show(task, { ...view, taskId }), taskId };
      return { ...spoil(dialect, { fault, whole }), outcome: fault };
    }
    return { reply: dialect.show(task, view), fault: null, outcome: view.state };
  };

  const poll = (asking: IncomingCall, taskId: string): Outgoing => {
    const { dialect, key } = asking;
    const record = { taskId, key, at: world.now() };
    try {
      const look = lookAt(asking, getTask(asking, taskId));
      ledger.recordPoll({ ...record, outcome: look.outcome });
      return look;
    } catch (error) {
      if (error instanceof RefusalError) {
        ledger.recordPoll({ ...record, outcome: error.refusal.kind });
        return { reply: dialect.refuse(error.refusal), fault: null };
      }
      throw error;
    }
  };

  const cancel = (asking: IncomingCall, taskId: string): Outgoing => {
    const { dialect, key } = asking;
    const task = getTask(asking, taskId);
    const outcome = dialect.cancel(task, tasks);
    ledger.recordCancel({ taskId, key, at: world.now(), outcome });
    const reply =
      outcome === "tooLate"
        ? dialect.refuse({ kind: "notCancellable", about: taskId })
        : dialect.cancelled(task);
    return { reply, fault: null };
  };

  const content = (asking: IncomingCall, taskId: string): Outgoing => {
    const task = getTask(asking, taskId);
    const isThere =
      task.state === "succeeded" &&
      task.script.timesWithoutUrl <= 0 &&
      world.now() <= (task.endedAt ?? 0) + FILE_MS[task.dialect];
    const reply = isThere
      ? serveVideo(asking.call.headers.range)
      : asking.dialect.refuse({ kind: "unknownTask", about: taskId });
    return { reply, fault: null };
  };

  const act = (asking: IncomingCall): Outgoing => {
    const { dialect, call, account } = asking;
    const operation = dialect.operation(call);
    switch (operation?.kind) {
      case "submit":
        return submit(world, asking);
      case "poll":
        return poll(asking, operation.taskId);
      case "cancel":
        return cancel(asking, operation.taskId);
      case "content":
        return content(asking, operation.taskId);
      case "list": {
        const own = tasks.all().filter((task) => task.dialect === dialect.name && task.account === account);
        const reply = dialect.list?.(own, call, world.now());
        return { reply: reply ?? { status: 404 }, fault: null };
      }
      default:
        return { reply: { status: 404, json: { message: "no such endpoint" } }, fault: null };
    }
  };

  return (dialect, call) => {
    const key = /^Bearer (.+)$/.exec(call.headers.authorization ?? "")?.[1] ?? "";
    const account = world.accounts.get(key);
    const operation = dialect.operation(call);
    const asking = { dialect, call, key, account: account ?? "" };
    const isSubmit = operation?.kind === "submit";
    if (account === undefined) {
      if (operation?.kind === "poll") {
        ledger.recordPoll({ taskId: operation.taskId, key, at: world.now(), outcome: "badKey" });
      }
      return isSubmit
        ? withhold(asking, { kind: "badKey" })
        : { reply: dialect.refuse({ kind: "badKey" }), fault: null };
    }
    try {
      return act(asking);
    } catch (error) {
      if (error instanceof RefusalError) {
        return isSubmit
          ? withhold(asking, error.refusal)
          : { reply: dialect.refuse(error.refusal), fault: null };
      }
      throw error;
    }
  };
}
