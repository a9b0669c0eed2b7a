import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Task, Tasks } from "./tasks";

export type DialectName = "dashscope" | "ark" | "openai-video";

/** A request as a dialect reads it. `path` is the part after the dialect's base path. */
export type Call = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Parsed JSON or form fields; undefined if there is no body or it cannot be read. */
  body: unknown;
};

export type Reply = {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON, unless there are `bytes`. */
  json?: unknown;
  bytes?: Buffer;
};

/** A submission as the vendor reads it. */
export type VendorOrder = {
  model: string;
  prompt: string;
  /** The part of the prompt that the vendor reads. */
  keptPrompt: string;
  seconds: number;
  /** 480p, 720p or 1080p; the vendor's own size if it is none of these. */
  resolution: string;
  /** In the vendor's own words. */
  size: string;
  ratio: string;
  /** Currency units per second of video. */
  unitPrice: number;
};

export type Refusal =
  | { kind: "badKey" | "arrears" | "tooMany" | "queueFull" | "content" | "internal" | "unavailable" }
  /** Only DashScope: it offers only asynchronous calls, and requires a header that says so. */
  | { kind: "notAsync" }
  | { kind: "badRequest" | "unknownModel" | "unknownTask" | "notCancellable"; about: string };

type Words = [status: number, code: string | null, message: string];

/** A vendor's answer for each refusal; `{}` in a message stands for the subject of the refusal. */
export const refuser =
  (say: (...words: Words) => Reply, refusals: Record<Refusal["kind"], Words>) =>
  (refused: Refusal): Reply => {
    const [status, code, message] = refusals[refused.kind];
    return say(
      status,
      code,
      message.replace("{}", () => ("about" in refused ? refused.about : "")),
    );
  };

/** A dialect throws it for a request that its vendor would refuse. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super("about" in refusal ? refusal.about : refusal.kind);
    this.refusal = refusal;
  }
}

export const unknownModel = (name: string) => new Refused({ kind: "unknownModel", about: name });
export const badRequest = (message: string) => new Refused({ kind: "badRequest", about: message });

/** Throws Refused. */
export function readBody<T>(schema: z.ZodType<T>, { body }: Call): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    throw badRequest(z.prettifyError(parsed.error));
  }
  return parsed.data;
}

type Operation =
  | { kind: "submit" }
  | { kind: "poll" | "cancel" | "content"; taskId: string }
  | { kind: "list" };

/** A task as one poll shows it. */
export type View = {
  /** `odd`: a state that no documentation has. */
  state: Task["state"] | "odd";
  /** `bare`: failed without a reason. */
  failure: "content" | "internal" | "bare" | null;
  url: string | null;
  /** 0 to 100. */
  progress: number;
  /** Usually the task's own. */
  taskId: string;
};

/** A vendor's dialect. All functions are pure except `cancel`, which changes the task as the vendor would. */
export type Dialect = {
  name: DialectName;
  /** The part of the path before `Call.path`; a channel's base URL ends with it. */
  basePath: string;
  /** How long after its submission the vendor keeps a task. */
  keepsTaskMs: number;
  newTaskId: () => string;
  /** null: there is no such endpoint. */
  operation: (call: Call) => Operation | null;
  /** Throws Refused. */
  readOrder: (call: Call) => VendorOrder;
  refuse: (refusal: Refusal) => Reply;
  accepted: (task: Task, taskId: string) => Reply;
  show: (task: Task, view: View) => Reply;
  cancel: (task: Task, tasks: Tasks) => "cancelled" | "forgotten" | "tooLate";
  cancelled: (task: Task) => Reply;
  list?: (tasks: Task[], call: Call, now: number) => Reply;
};
