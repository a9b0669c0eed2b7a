import type { VendorOrder, VendorRefusal } from "./dialect";
import { parseScript, type Script, type SubmitFault } from "./script";
import type { VendorTask } from "./tasks";
import { type IncomingCall, type Outgoing, spoil, type World } from "./world";

function make(
  world: World,
  asking: IncomingCall,
  { order, script }: { order: VendorOrder; script: Script },
): VendorTask {
  const { dialect, key, account } = asking;
  const owner = { dialect: dialect.name, account, key };
  const task = world.tasks.create({ ...order, ...owner, id: dialect.newTaskId(), script });
  const { model, prompt, seconds, resolution, size, ratio } = task;
  const fields = { model, prompt, seconds, resolution, size, ratio };
  world.ledger.recordCreate({ ...owner, ...fields, taskId: task.id, at: task.submittedAt });
  return task;
}

export function withhold({ dialect }: IncomingCall, refusal: VendorRefusal): Outgoing {
  return { reply: dialect.refuse(refusal), fault: null };
}

/** A fault before the task could be made. */
function lose({ dialect }: IncomingCall, { fault }: SubmitFault): Outgoing {
  const reply = dialect.refuse({ kind: "internal" });
  return spoil(dialect, { fault, whole: { reply, taskId: "" } });
}

/** Throws Refused if the vendor's rules refuse it. */
export function submit(world: World, asking: IncomingCall): Outgoing {
  const { dialect, call, account } = asking;
  const owner = { dialect: dialect.name, account };
  const order = dialect.readOrder(call);
  const script = parseScript(order.prompt);
  const fault = script.submit;
  if (fault && !fault.isTaken) {
    return lose(asking, fault);
  }
  if (script.isRefusedForContent) {
    return withhold(asking, { kind: "content" });
  }
  if (world.tasks.waiting(owner) >= world.queueLimit) {
    return withhold(asking, { kind: "queueFull" });
  }
  const earlier = world.tasks.latest(owner);
  const task = make(world, asking, { order, script });
  const reply = dialect.accepted(task, script.repeatsTaskId && earlier ? earlier.id : task.id);
  return fault
    ? spoil(dialect, { fault: fault.fault, whole: { reply, taskId: task.id } })
    : { reply, fault: null };
}
