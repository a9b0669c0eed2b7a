import type { Polled, Submitted, VideoUpstream } from "@/server/upstream";

/** A vendor inside the test: answers as it is told, and remembers what it was asked. */
export type ScriptedVendor = VideoUpstream & {
  submissions: { taskId: string; prompt: string; secret: string }[];
  polls: { ref: string; secret: string; at: number }[];
  cancels: string[];
  answerSubmit: (next: () => Submitted | Promise<Submitted>) => void;
  answerPoll: (next: (ref: string) => Polled | Promise<Polled>) => void;
  answerCancel: (next: () => "cancelled" | "too_late" | "unknown") => void;
  /** `taken`: what other tasks have become. */
  answerFind: (next: (taken: ReadonlySet<string>) => string | null) => void;
};

export const running: Polled = { kind: "processing", progress: null, isQueued: false };
export const done: Polled = { kind: "completed", url: "https://vendor.test/video.mp4", isServed: false };

export function scriptedVendor(now: () => Date): ScriptedVendor {
  let submit: () => Submitted | Promise<Submitted> = () => ({
    kind: "accepted",
    // As vendors' are: unlike any other.
    ref: `ref-${vendor.submissions.at(-1)?.taskId}`,
  });
  let poll: (ref: string) => Polled | Promise<Polled> = () => running;
  let cancel: () => "cancelled" | "too_late" | "unknown" = () => "cancelled";
  let find: (taken: ReadonlySet<string>) => string | null = () => null;
  const vendor: ScriptedVendor = {
    usualTasks: null,
    refusal: () => null,
    submissions: [],
    polls: [],
    cancels: [],
    answerSubmit: (next) => {
      submit = next;
    },
    answerPoll: (next) => {
      poll = next;
    },
    answerCancel: (next) => {
      cancel = next;
    },
    answerFind: (next) => {
      find = next;
    },
    submit: async ({ secret }, { prompt }, taskId) => {
      vendor.submissions.push({ taskId, prompt, secret });
      return await submit();
    },
    poll: async ({ secret }, ref) => {
      vendor.polls.push({ ref, secret, at: now().getTime() });
      return await poll(ref);
    },
    cancel: async (_target, ref) => {
      vendor.cancels.push(ref);
      return cancel();
    },
    find: async (_target, { taken = new Set() }) => find(taken),
  };
  return vendor;
}
