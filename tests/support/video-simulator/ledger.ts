import type { VendorTask } from "./tasks";

/** Times in simulated unix milliseconds; `wallAt` is the machine's. */
type Create = Pick<
  VendorTask,
  "dialect" | "account" | "key" | "model" | "prompt" | "seconds" | "resolution" | "size" | "ratio"
> & { taskId: string; at: number };

type CancelRecord = { taskId: string; key: string; at: number; outcome: string };

type PollRecord = {
  taskId: string;
  key: string;
  at: number;
  wallAt: number;
  /** The answer: a state, a refusal's kind, or a fault's name. */
  outcome: string;
};

/** The vendor's records, which tests compare with the gateway's. */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger(world: { now: () => number; tasks: () => VendorTask[] }) {
  const creates: Create[] = [];
  const polls = new Map<string, PollRecord[]>();
  const cancels: CancelRecord[] = [];

  const allPolls = () => [...polls.values()].flat();
  /** Finished tasks with the vendor's price: seconds of video at the price of their resolution. */
  const billed = () =>
    world
      .tasks()
      .filter((task) => task.state === "succeeded")
      .map(({ id: taskId, prompt, seconds, unitPrice: price }) => {
        return { taskId, prompt, seconds, amount: seconds * price };
      });

  return {
    creates: () => [...creates],
    cancels: () => [...cancels],
    polls: allPolls,
    pollsOf: (taskId: string) => [...(polls.get(taskId) ?? [])],
    billed,
    /** Polls with another key than the submission's. */
    pollsWithOtherKey: () => {
      const keys = new Map(creates.map(({ taskId, key }) => [taskId, key]));
      return allPolls().filter(({ taskId, key }) => keys.get(taskId) !== key);
    },
    /** Prompts for which more than one task was made. */
    promptsMadeTwice: () => {
      const prompts = creates.map(({ prompt }) => prompt);
      return [...new Set(prompts.filter((prompt, index) => prompts.indexOf(prompt) !== index))];
    },

    recordCreate: (create: Create) => void creates.push(create),
    recordPoll: (poll: Omit<PollRecord, "wallAt">) => {
      const ofTask = polls.get(poll.taskId) ?? [];
      ofTask.push({ ...poll, wallAt: Date.now() });
      polls.set(poll.taskId, ofTask);
    },
    recordCancel: (cancel: CancelRecord) => void cancels.push(cancel),
  };
}
