import type { DialectName } from "./dialect";
import type { Task } from "./tasks";

/** Times in simulated unix milliseconds; `wallAt` is the machine's. */
type Create = Pick<
  Task,
  "dialect" | "account" | "key" | "model" | "prompt" | "seconds" | "resolution" | "size" | "ratio"
> & { taskId: string; at: number };

/** One submission, whatever came of it. */
type Submission = {
  dialect: DialectName;
  key: string;
  at: number;
  /** null: nothing was made. */
  taskId: string | null;
  /** `accepted`, a refusal's kind, or a fault's name. */
  outcome: string;
};

type PollRecord = {
  taskId: string;
  key: string;
  at: number;
  wallAt: number;
  /** What was shown: a state, a refusal's kind, or a fault's name. */
  said: string;
  /** The asker now knows how it ended. */
  isEnd: boolean;
};

type Bill = { taskId: string; prompt: string; seconds: number; amount: number };

/** What the vendor knows, for tests to hold against what the gateway believes. */
export type Ledger = {
  /** The tasks that were made. */
  creates: () => Create[];
  submissions: () => Submission[];
  cancels: () => { taskId: string; key: string; at: number; outcome: string }[];
  downloads: () => { taskId: string; at: number; status: number }[];
  polls: () => PollRecord[];
  pollsOf: (taskId: string) => PollRecord[];
  /** Finished tasks with what the vendor asks for them: seconds of video at the price of their resolution. */
  billed: () => Bill[];
  billedTotal: () => number;
  /** How long a task has held one of the vendor's places. */
  runningSeconds: (taskId: string) => number;
  /** Shortest time between two polls of one task, by the machine's clock or the simulated one. Infinity: never two. */
  shortestPollGapMs: (by?: "simulated" | "wall") => number;
  /** Polls of tasks whose end had been shown before. */
  pollsAfterEnd: () => PollRecord[];
  /** Polls with another key than the submission's. */
  pollsWithOtherKey: () => PollRecord[];
  /** Prompts for which more than one task was made. */
  promptsMadeTwice: () => string[];
};

export type LedgerBook = Ledger & {
  recordCreate: (create: Create) => void;
  recordSubmission: (submission: Submission) => void;
  recordPoll: (poll: Omit<PollRecord, "wallAt">) => void;
  recordCancel: (cancel: { taskId: string; key: string; at: number; outcome: string }) => void;
  recordDownload: (download: { taskId: string; at: number; status: number }) => void;
};

function shortestGapMs(times: number[]): number {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return Math.min(Number.POSITIVE_INFINITY, ...gaps);
}

export function createLedger(world: { now: () => number; tasks: () => Task[] }): LedgerBook {
  const creates: Create[] = [];
  const submissions: Submission[] = [];
  const polls = new Map<string, PollRecord[]>();
  const cancels: { taskId: string; key: string; at: number; outcome: string }[] = [];
  const downloads: { taskId: string; at: number; status: number }[] = [];

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
    submissions: () => [...submissions],
    cancels: () => [...cancels],
    downloads: () => [...downloads],
    polls: allPolls,
    pollsOf: (taskId) => [...(polls.get(taskId) ?? [])],
    billed,
    billedTotal: () => billed().reduce((total, bill) => total + bill.amount, 0),
    runningSeconds: (taskId) => {
      const task = world.tasks().find(({ id }) => id === taskId);
      return task?.startedAt == null ? 0 : ((task.endedAt ?? world.now()) - task.startedAt) / 1_000;
    },
    shortestPollGapMs: (by = "simulated") =>
      Math.min(
        Number.POSITIVE_INFINITY,
        ...[...polls.values()].map((ofTask) =>
          shortestGapMs(ofTask.map((poll) => (by === "wall" ? poll.wallAt : poll.at))),
        ),
      ),
    pollsAfterEnd: () =>
      [...polls.values()].flatMap((ofTask) => {
        const end = ofTask.findIndex((poll) => poll.isEnd);
        return end === -1 ? [] : ofTask.slice(end + 1);
      }),
    pollsWithOtherKey: () => {
      const keys = new Map(creates.map(({ taskId, key }) => [taskId, key]));
      return allPolls().filter(({ taskId, key }) => keys.get(taskId) !== key);
    },
    promptsMadeTwice: () => {
      const prompts = creates.map(({ prompt }) => prompt);
      return [...new Set(prompts.filter((prompt, index) => prompts.indexOf(prompt) !== index))];
    },

    recordCreate: (create) => void creates.push(create),
    recordSubmission: (submission) => void submissions.push(submission),
    recordPoll: (poll) => {
      const ofTask = polls.get(poll.taskId) ?? [];
      ofTask.push({ ...poll, wallAt: Date.now() });
      polls.set(poll.taskId, ofTask);
    },
    recordCancel: (cancel) => void cancels.push(cancel),
    recordDownload: (download) => void downloads.push(download),
  };
}
