import type { Polled, Submitted, VideoUpstream } from "@/server/upstream";

/** A vendor inside the test: it gives the answers that are set, and records its requests. */
export type ScriptedVendor = VideoUpstream & {
  submissions: { taskId: string; prompt: string; secret: string }[];
  polls: { ref: string; secret: string; at: number }[];
  cancels: string[];
  answerSubmit: (next: () => Submitted | Promise<Submitted>) => void;
  answerPoll: (next: (ref: string) => Polled | Promise<Polled>) => void;
  answerCancel: (next: () => "cancelled" | "too_late" | "unknown") => void;
  /** `usedRefs`: references that belong to other tasks. */
  answerFind: (next: (usedRefs: ReadonlySet<string>) => string | null) => void;
};

export const running: Polled = { kind: "processing", progress: null, isQueued: false };
export const done: Polled = { kind: "completed", url: "https://vendor.test/video.mp4", isServed: false };

export function scriptedVendor(now: () => Date): ScriptedVendor {
  const answers: {
    submit: () => Submitted | Promise<Submitted>;
    poll: (ref: string) => Polled | Promise<Polled>;
    cancel: () => "cancelled" | "too_late" | "unknown";
    find: (usedRefs: ReadonlySet<string>) => string | null;
  } = {
    // Unique, like vendors' own references.
    submit: () => ({ kind: "accepted", ref: `ref-${vendor.submissions.at(-1)?.taskId}` }),
    poll: () => running,
    cancel: () => "cancelled",
    find: () => null,
  };
  const vendor: ScriptedVendor = {
    usualTasks: null,
    refusal: () => null,
    submissions: [],
    polls: [],
    cancels: [],
    answerSubmit: (submit) => void Object.assign(answers, { submit }),
    answerPoll: (poll) => void Object.assign(answers, { poll }),
    answerCancel: (cancel) => void Object.assign(answers, { cancel }),
    answerFind: (find) => void Object.assign(answers, { find }),
    submit: async ({ secret }, { prompt }, taskId) => {
      vendor.submissions.push({ taskId, prompt, secret });
      return await answers.submit();
    },
    poll: async ({ secret }, ref) => {
      vendor.polls.push({ ref, secret, at: now().getTime() });
      return await answers.poll(ref);
    },
    cancel: async (_target, ref) => {
      vendor.cancels.push(ref);
      return answers.cancel();
    },
    find: async (_target, { usedRefs = new Set() }) => answers.find(usedRefs),
  };
  return vendor;
}
