import type { Task } from "./tasks";

/** Times in simulated unix milliseconds; `wallAt` is the machine's. */
type Create = Pick<
  Task,
  "dialect" | "account" | "key" | "model" | "prompt" | "seconds" | "resolution" | "size" | "ratio"
> & { taskId: string; at: number };

type PollRecord = {
  taskId: string;
  key: string;
  at: number;
  wallAt: number;
  /** What was shown: a state, a refusal's kind, or a fault's name. */
  said: string;
};

type Bill = { taskId: string; prompt: string; seconds: number; amount: number };

/** What the vendor knows, for tests to hold against what the gateway believes. */
export type Ledger = {
  creates: () => Create[];
  cancels: () => { taskId: string; key: string; at: number; outcome: string }[];
  polls: () => PollRecord[];
  pollsOf: (taskId: string) => PollRecord[];
  /** Finished tasks with what the vendor asks for them: seconds of video at the price of their resolution. */
  billed: () => Bill[];
  pollsWithOtherKey: () => PollRecord[];
  /** Prompts for which more than one task was made. */
  promptsMadeTwice: () => string[];
};

export type LedgerBook = Ledger & {
  recordCreate: (create: Create) => void;
  recordPoll: (poll: Omit<PollRecord, "wallAt">) => void;
  recordCancel: (cancel: { taskId: string; key: string; at: number; outcome: string }) => void;
};

export function createLedger(world: { now: () => number; tasks: () => Task[] }): LedgerBook {
  const creates: Create[] = [];
  const polls = new Map<string, PollRecord[]>();
  const cancels: { taskId: string; key: string; at: number; outcome: string }[] = [];

  const allPolls = () => [...polls.values()].flat();
  const billed = () =>
    world
      .tasks()
      .filter((task) => task.state === "succeeded")
      .map(({ id, prompt, seconds, unitPrice }) => ({
        taskId: id,
        prompt,
        seconds,
        amount: seconds * unitPrice,
      }));

  return {
    creates: () => [...creates],
    cancels: () => [...cancels],
    polls: allPolls,
    pollsOf: (taskId) => [...(polls.get(taskId) ?? [])],
    billed,
    pollsWithOtherKey: () => {
      const keys = new Map(creates.map(({ taskId, key }) => [taskId, key]));
      return allPolls().filter(({ taskId, key }) => keys.get(taskId) !== key);
    },
    promptsMadeTwice: () => {
      const prompts = creates.map(({ prompt }) => prompt);
      return [...new Set(prompts.filter((prompt, index) => prompts.indexOf(prompt) !== index))];
    },

    recordCreate: (create) => void creates.push(create),
    recordPoll: (poll) => {
      const ofTask = polls.get(poll.taskId) ?? [];
      ofTask.push({ ...poll, wallAt: Date.now() });
      polls.set(poll.taskId, ofTask);
    },
    recordCancel: (cancel) => void cancels.push(cancel),
  };
}
