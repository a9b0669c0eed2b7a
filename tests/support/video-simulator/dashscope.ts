import { randomUUID } from "node:crypto";
import { z } from "zod";
import {
  badRequest,
  RefusalError,
  readBody,
  refuser,
  unknownModel,
  type VendorCall,
  type VendorDialect,
  type VendorReply,
  type View,
} from "./dialect";
import { readSize, sizeOf, type WanModel, wanModels } from "./models";
import type { VendorTask } from "./tasks";

const HOUR_MS = 3_600_000;
const STATUSES: Record<View["state"], string> = {
  pending: "PENDING",
  running: "RUNNING",
  succeeded: "SUCCEEDED",
  failed: "FAILED",
  cancelled: "CANCELED",
  expired: "UNKNOWN",
  odd: "SUSPENDED",
};

const Body = z.object({
  model: z.string(),
  input: z.object({ prompt: z.string().min(1) }),
  parameters: z
    .object({
      size: z.string().optional(),
      resolution: z.string().optional(),
      ratio: z.string().optional(),
      duration: z.number().int().optional(),
      prompt_extend: z.boolean().optional(),
      watermark: z.boolean().optional(),
      seed: z.number().int().min(0).max(2_147_483_647).optional(),
    })
    .default({}),
});
type Parameters = z.infer<typeof Body>["parameters"];

/** In Beijing's time, `2024-03-01 17:38:24.817`. */
const timeText = (ms: number) => new Date(ms + 8 * HOUR_MS).toISOString().replace("T", " ").replace("Z", "");

/** Reads `20240301173824` in Beijing's time. */
function readTime(text: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (second === undefined) {
    throw badRequest("The time must be written as yyyyMMddHHmmss.");
  }
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}+08:00`);
}

const refuse = refuser(
  (status, code, message) => ({ status, json: { code, message, request_id: randomUUID() } }),
  {
    badKey: [401, "InvalidApiKey", "Invalid API-key provided."],
    arrears: [403, "Arrearage", "Access denied, please make sure your account is in good standing."],
    tooMany: [429, "Throttling.RateQuota", "Requests rate limit exceeded, please try again later."],
    queueFull: [429, "Throttling.AllocationQuota", "Allocated quota exceeded."],
    content: [400, "DataInspectionFailed", "Input data may contain inappropriate content."],
    internal: [500, "InternalError", "An internal error has occurred."],
    unavailable: [503, "ModelUnavailable", "The model is unavailable."],
    notAsync: [403, "AccessDenied", "current user api does not support synchronous calls."],
    badRequest: [400, "InvalidParameter", "{}"],
    unknownModel: [404, "ModelNotFound", "Model {} does not exist."],
    unknownTask: [200, "UNKNOWN", "{}"],
    notCancellable: [400, "UnsupportedOperation", "Only tasks in PENDING status can be cancelled."],
  },
);

/** Newer models accept a resolution and a ratio, older ones a size; each refuses the other's members. */
function readFormat(model: WanModel, parameters: Parameters): { resolution: string; ratio: string } {
  const usual = { resolution: Object.keys(model.prices).at(-1) ?? "", ratio: "16:9" };
  if (model.takesResolution) {
    if (
      parameters.size !== undefined ||
      (parameters.resolution !== undefined && !/^\d+P$/.test(parameters.resolution))
    ) {
      throw badRequest("parameters.resolution must be 720P or 1080P, and there is no parameters.size.");
    }
    return {
      resolution: parameters.resolution?.toLowerCase() ?? usual.resolution,
      ratio: parameters.ratio ?? usual.ratio,
    };
  }
  if (parameters.resolution !== undefined || parameters.ratio !== undefined) {
    throw badRequest("This model takes parameters.size.");
  }
  const format = parameters.size === undefined ? usual : readSize(parameters.size);
  if (!format) {
    throw badRequest(`parameters.size ${parameters.size} is not supported: write it as width*height.`);
  }
  return format;
}

function readOrder(call: VendorCall) {
  if (call.headers["x-dashscope-async"] !== "enable") {
    throw new RefusalError({ kind: "notAsync" });
  }
  const { model: name, input, parameters } = readBody(Body, call);
  const model = Object.hasOwn(wanModels, name) ? wanModels[name] : undefined;
  if (!model) {
    throw unknownModel(name);
  }
  const { resolution, ratio } = readFormat(model, parameters);
  const size = sizeOf(resolution, ratio);
  const unitPrice = model.prices[resolution];
  const seconds = parameters.duration ?? 5;
  if (unitPrice === undefined || size === "") {
    throw badRequest(`The model does not support ${resolution} at ${ratio}.`);
  }
  if (!model.seconds.includes(seconds)) {
    throw badRequest(`The model does not support a duration of ${seconds}.`);
  }
  const keptPrompt = input.prompt.slice(0, model.promptLimit);
  return { model: name, prompt: input.prompt, keptPrompt, seconds, resolution, size, ratio, unitPrice };
}

const failures = {
  content: { code: "DataInspectionFailed", message: "Output data may contain inappropriate content." },
  internal: { code: "InternalError.Algo", message: "Algorithm process error." },
  bare: {},
};

const bareTask = (task_id: string, task_status: string): VendorReply => ({
  status: 200,
  json: { request_id: randomUUID(), output: { task_id, task_status } },
});

function show(task: VendorTask, view: View): VendorReply {
  if (view.state === "expired") {
    return bareTask(view.taskId, STATUSES.expired);
  }
  const { startedAt, endedAt, seconds, size, resolution, keptPrompt } = task;
  return {
    status: 200,
    json: {
      request_id: randomUUID(),
      output: {
        task_id: view.taskId,
        task_status: STATUSES[view.state],
        submit_time: timeText(task.submittedAt),
        ...(startedAt !== null && { scheduled_time: timeText(startedAt) }),
        ...(endedAt !== null && { end_time: timeText(endedAt) }),
        orig_prompt: keptPrompt,
        ...(view.url !== null && { video_url: view.url }),
        ...(view.failure && failures[view.failure]),
      },
      ...(view.state === "succeeded" && {
        usage: { video_duration: seconds, video_count: 1, SR: Number.parseInt(resolution, 10), size },
      }),
    },
  };
}

/** By default the last 24 hours. The rows have no prompts; only the task itself has one. */
function list(tasks: VendorTask[], { query }: VendorCall, now: number): VendorReply {
  const compact = (ms: number) => timeText(ms).replace(/\D/g, "").slice(0, 14);
  const from = readTime(query.get("start_time") ?? compact(now - 24 * HOUR_MS));
  const to = readTime(query.get("end_time") ?? compact(now + 1_000));
  const page = Number(query.get("page_no") ?? 1);
  const size = Number(query.get("page_size") ?? 10);
  if (from > to || to - from > 24 * HOUR_MS + 1_000 || !(page >= 1) || !(size >= 1 && size <= 100)) {
    throw badRequest("The time range must be within 24 hours, page_no from 1, page_size from 1 to 100.");
  }
  const matches = tasks
    .filter(({ submittedAt, model, state }) => {
      const isWithin = submittedAt >= from && submittedAt < to + 1_000;
      const isOfModel = !query.has("model_name") || query.get("model_name") === model;
      return isWithin && isOfModel && (!query.has("status") || query.get("status") === STATUSES[state]);
    })
    .reverse();
  return {
    status: 200,
    json: {
      ...{ request_id: randomUUID(), total: matches.length, total_page: Math.ceil(matches.length / size) },
      ...{ page_no: page, page_size: size },
      data: matches.slice((page - 1) * size, page * size).map((task) => ({
        ...{ task_id: task.id, model_name: task.model, status: STATUSES[task.state] },
        ...{ gmt_create: task.submittedAt, start_time: task.startedAt, end_time: task.endedAt },
        region: "cn-beijing",
      })),
    },
  };
}

function operation({ method, path }: VendorCall): ReturnType<VendorDialect["operation"]> {
  const [, taskId, verb] = /^\/tasks\/([^/]+)(?:\/(cancel))?$/.exec(path) ?? [];
  if (method === "POST" && path === "/services/aigc/video-generation/video-synthesis") {
    return { kind: "submit" };
  }
  if (method === "POST" && taskId && verb) {
    return { kind: "cancel", taskId };
  }
  if (method === "GET" && taskId && !verb) {
    return { kind: "poll", taskId };
  }
  return method === "GET" && path === "/tasks" ? { kind: "list" } : null;
}

/** Alibaba Model Studio's asynchronous tasks. */
export const dashscope: VendorDialect = {
  name: "dashscope",
  basePath: "/dashscope/api/v1",
  keepsTaskMs: 24 * HOUR_MS,
  newTaskId: randomUUID,
  operation,
  readOrder,
  refuse: (refused) =>
    refused.kind === "unknownTask" ? bareTask(refused.about, STATUSES.expired) : refuse(refused),
  accepted: (_task, taskId) => bareTask(taskId, STATUSES.pending),
  show,
  cancel: (task, tasks) => (tasks.cancel(task) ? "cancelled" : "tooLate"),
  cancelled: () => ({ status: 200, json: { request_id: randomUUID() } }),
  list,
};
