import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Tasks, VendorTask } from "./tasks";

export type DialectName = "dashscope" | "ark" | "openai-video";

/** A request as a dialect reads it. `path` is the part after the dialect's base path. */
export type VendorCall = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Parsed JSON or form fields; undefined if there is no body or it cannot be read. */
  body: unknown;
};

export type VendorReply = {
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

export type VendorRefusal =
  | { kind: "badKey" | "arrears" | "tooMany" | "queueFull" | "content" | "internal" | "unavailable" }
  /** Only DashScope: it offers only asynchronous calls, and requires a header that says so. */
  | { kind: "notAsync" }
  | { kind: "badRequest" | "unknownModel" | "unknownTask" | "notCancellable"; about: string };

type RefusalWords = [status: number, code: string | null, message: string];

/** A vendor's answer for each refusal; `{}` in a message stands for the subject of the refusal. */
export const refuser =
  (say: (...words: RefusalWords) => VendorReply, refusals: Record<VendorRefusal["kind"], RefusalWords>) =>
  (refused: VendorRefusal): VendorReply => {
    const [status, code, message] = refusals[refused.kind];
    return say(
      status,
      code,
      message.replace("{}", () => ("about" in refused ? refused.about : "")),
    );
  };

/** A dialect throws it for a request that its vendor would refuse. */
export class RefusalError extends Error {
  readonly refusal: VendorRefusal;

  constructor(refusal: VendorRefusal) {
    super("about" in refusal ? refusal.about : refusal.kind);
    this.refusal = refusal;
  }
}

export const unknownModel = (name: string) => new RefusalError({ kind: "unknownModel", about: name });
export const badRequest = (message: string) => new RefusalError({ kind: "badRequest", about: message });

/** Throws RefusalError. */
export function readBody<T>(schema: z.ZodType<T>, { body }: VendorCall): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    throw badRequest(z.prettifyError(parsed.error));
  }
  return parsed.data;
}

type VendorOperation =
  | { kind: "submit" }
  | { kind: "poll" | "cancel" | "content"; taskId: string }
  | { kind: "list" };

/** A task as one poll shows it. */
export type View = {
  /** `odd`: a state that no documentation has. */
  state: VendorTask["state"] | "odd";
  /** `bare`: failed without a reason. */
  failure: "content" | "internal" | "bare" | null;
  url: string | null;
  /** 0 to 100. */
  progress: number;
  /** Usually the task's own. */
  taskId: string;
};

/** A vendor's dialect. All functions are pure except `cancel`, which changes the task as the vendor would. */
export type VendorDialect = {
  name: DialectName;
  /** The part of the path before `VendorCall.path`; a channel's base URL ends with it. */
  basePath: string;
  /** How long after its submission the vendor keeps a task. */
  keepsTaskMs: number;
  newTaskId: () => string;
  /** null: there is no such endpoint. */
  operation: (call: VendorCall) => VendorOperation | null;
  /** Throws RefusalError. */
  readOrder: (call: VendorCall) => VendorOrder;
  refuse: (refusal: VendorRefusal) => VendorReply;
  accepted: (task: VendorTask, taskId: string) => VendorReply;
  show: (task: VendorTask, view: View) => VendorReply;
  cancel: (task: VendorTask, tasks: Tasks) => "cancelled" | "forgotten" | "tooLate";
  cancelled: (task: VendorTask) => VendorReply;
  list?: (tasks: VendorTask[], call: VendorCall, now: number) => VendorReply;
};
