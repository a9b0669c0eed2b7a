import { type PollFault, type SubmitFault, submitFault, type WireFault, wireFault } from "./script";
import type { Task } from "./tasks";

/** Faults from outside the prompt. Names are those of the tokens without `submit-` and `poll-`. */
export type Faults = {
  /** The next submissions, whoever they are from. `502-taken`: the task is made all the same. */
  nextSubmits: (name: string, times?: number) => void;
  /** The next polls, of one task or of any. */
  nextPolls: (name: string, options?: { times?: number; taskId?: string }) => void;
  clear: () => void;
};

export type FaultQueue = Faults & {
  takeForSubmit: () => SubmitFault | null;
  /** Those from outside first, then those of the prompt. */
  takeForPoll: (task: Pick<Task, "id" | "script">) => WireFault | null;
};

/** The first one that still has turns, one turn less. */
function takeTurn<F extends { times: number }>(faults: F[]): F | null {
  const next = faults.find((fault) => fault.times > 0);
  if (!next) {
    return null;
  }
  next.times -= 1;
  return next;
}

export function createFaults(): FaultQueue {
  let submits: (SubmitFault & { times: number })[] = [];
  let polls: (PollFault & { taskId: string | null })[] = [];
  return {
    nextSubmits: (name, times = 1) => void submits.push({ ...submitFault(name), times }),
    nextPolls: (name, { times = 1, taskId } = {}) =>
      void polls.push({ fault: wireFault(name), times, taskId: taskId ?? null }),
    clear: () => {
      submits = [];
      polls = [];
    },
    takeForSubmit: () => takeTurn(submits),
    takeForPoll: ({ id, script }) => {
      const ofTask = polls.filter(({ taskId }) => taskId === null || taskId === id);
      return (takeTurn(ofTask) ?? takeTurn(script.polls))?.fault ?? null;
    },
  };
}
