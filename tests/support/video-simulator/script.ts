import { badRequest } from "./dialect";
import type { TaskState } from "./tasks";

/** Faults on the wire, for a submission and for a poll. */
const wireFaults = [
  "429",
  "500",
  "502",
  "503",
  "504",
  "html",
  "truncated-json",
  "huge-body",
  "reset-before",
  "reset-mid-reply",
  "slow-headers",
  "empty-202",
  "arrears",
  "key-revoked",
  "unknown-task",
  "wrong-id-echo",
] as const;
export type WireFault = (typeof wireFaults)[number];

/** `isTaken`: the vendor made the task nevertheless. */
export type SubmitFault = { fault: WireFault; isTaken: boolean };
type PollFault = { fault: WireFault; times: number };

/** The behaviour that a prompt requests from the simulator. */
export type Script = {
  ending: Exclude<TaskState, "pending" | "running">;
  failure: "content" | "internal" | "bare" | null;
  /** Counted from the submission. null: the model's usual time; Infinity: never. */
  endsAfterMs: number | null;
  /** The number of times that a success is shown without its file. */
  timesWithoutUrl: number;
  isRefusedForContent: boolean;
  isOddWhileRunning: boolean;
  fallsBackToPending: boolean;
  repeatsTaskId: boolean;
  submit: SubmitFault | null;
  polls: PollFault[];
};

/** Faults in the answer for a task that was made. */
const TAKEN: readonly WireFault[] = [
  "truncated-json",
  "huge-body",
  "reset-mid-reply",
  "slow-headers",
  "empty-202",
];
/** Faults of an existing task, unless `submit-` says otherwise. */
const MID_RUN: readonly WireFault[] = ["arrears", "key-revoked", "unknown-task", "wrong-id-echo"];

/**
 * `502`: the proxy answered and no task was made; `502-taken`: the task was made. Throws Refused for an unknown name.
 */
function submitFault(name: string): SubmitFault {
  const fault = wireFault(name.replace(/-taken$/, ""));
  return { fault, isTaken: name.endsWith("-taken") || TAKEN.includes(fault) };
}

function wireFault(name: string): WireFault {
  const fault = wireFaults.find((candidate) => candidate === name);
  if (!fault) {
    throw badRequest(`the simulator knows no fault "${name}"`);
  }
  return fault;
}

const behaviours: Record<string, (number: number | null) => Partial<Script>> = {
  "content-at-submit": () => ({ isRefusedForContent: true }),
  "content-later": () => ({ ending: "failed", failure: "content" }),
  failed: () => ({ ending: "failed", failure: "internal" }),
  "failed-bare": () => ({ ending: "failed", failure: "bare" }),
  "no-url": (times) => ({ timesWithoutUrl: times ?? Number.POSITIVE_INFINITY }),
  "odd-state": () => ({ isOddWhileRunning: true }),
  regress: () => ({ fallsBackToPending: true }),
  cancelled: () => ({ ending: "cancelled" }),
  expired: () => ({ ending: "expired" }),
  never: () => ({ endsAfterMs: Number.POSITIVE_INFINITY }),
  "ends-at": (seconds) => ({ endsAfterMs: (seconds ?? 0) * 1_000 }),
  "duplicate-id": () => ({ repeatsTaskId: true }),
  "reply-lost": () => ({ submit: { fault: "reset-before", isTaken: true } }),
};

/** All `[fault:name]` and `[fault:name=number]` in a prompt. Throws Refused for an unknown name. */
export function parseScript(prompt: string): Script {
  const script: Script = {
    ...{ ending: "succeeded", failure: null, endsAfterMs: null, timesWithoutUrl: 0 },
    ...{ isRefusedForContent: false, isOddWhileRunning: false, fallsBackToPending: false },
    ...{ repeatsTaskId: false, submit: null, polls: [] },
  };
  for (const [, name = "", written] of prompt.matchAll(/\[fault:([a-z0-9-]+)(?:=([\d.]+))?\]/g)) {
    const number = written === undefined ? null : Number(written);
    const behaviour = Object.hasOwn(behaviours, name) ? behaviours[name] : undefined;
    if (behaviour) {
      Object.assign(script, behaviour(number));
    } else if (name.startsWith("poll-") || MID_RUN.some((fault) => fault === name)) {
      const fault = wireFault(name.replace(/^poll-/, ""));
      script.polls.push({ fault, times: number ?? Number.POSITIVE_INFINITY });
    } else {
      script.submit = submitFault(name.replace(/^submit-/, ""));
    }
  }
  return script;
}

/** The fault of the next poll of a task; uses up one of its turns. */
export function takePollFault({ polls }: Script): WireFault | null {
  const next = polls.find(({ times }) => times > 0);
  if (!next) {
    return null;
  }
  next.times -= 1;
  return next.fault;
}
