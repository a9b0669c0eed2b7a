import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  badRequest,
  readBody,
  refuser,
  unknownModel,
  type VendorCall,
  type VendorDialect,
  type View,
} from "./dialect";
import { arkModels } from "./models";
import type { VendorTask } from "./tasks";

const DAY_MS = 86_400_000;
const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
const STATUSES: Record<View["state"], string> = {
  pending: "queued",
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
  odd: "suspended",
};

const Body = z.object({
  model: z.string(),
  content: z.array(z.object({ type: z.literal("text"), text: z.string().min(1) })).min(1),
  resolution: z.string().optional(),
  ratio: z.string().optional(),
  duration: z.number().int().optional(),
  seed: z.number().int().optional(),
  watermark: z.boolean().optional(),
  camera_fixed: z.boolean().optional(),
  generate_audio: z.boolean().optional(),
  execution_expires_after: z.number().int().min(3_600).max(259_200).optional(),
});

const refuse = refuser(
  (status, code, message) => ({ status, json: { error: { code, message, param: "", type: "" } } }),
  {
    badKey: [401, "AuthenticationError", "The API key doesn't exist."],
    arrears: [403, "AccountOverdueError", "The account has an overdue balance."],
    tooMany: [429, "RateLimitExceeded.EndpointRPMExceeded", "The rate limit is exceeded."],
    queueFull: [429, "QuotaExceeded", "The account has too many queued tasks."],
    content: [400, "InputTextSensitiveContentDetected", "The input text may be sensitive."],
    internal: [500, "InternalServiceError", "The service encountered an unexpected internal error."],
    unavailable: [503, "ServerOverloaded", "The service is overloaded."],
    notAsync: [400, "InvalidParameter", "The request is not valid."],
    badRequest: [400, "InvalidParameter", "{}"],
    unknownModel: [404, "InvalidEndpointOrModel.NotFound", "The model {} does not exist."],
    unknownTask: [404, "ResourceNotFound", "The task {} is not found."],
    notCancellable: [409, "InvalidAction.RunningTaskDeletion", "A running task cannot be deleted."],
  },
);

/** The older form: `--rs 720p --dur 5 --ratio 16:9` after the text. It overrides the body's members. */
function readCommands(text: string): { resolution?: string; ratio?: string; duration?: number } {
  const commands = [...text.matchAll(/--(\w+)\s+(\S+)/g)];
  const find = (...names: string[]) => commands.findLast(([, name = ""]) => names.includes(name))?.[2];
  const resolution = find("rs", "resolution");
  const ratio = find("rt", "ratio");
  const duration = find("dur", "duration");
  return {
    ...(resolution !== undefined && { resolution }),
    ...(ratio !== undefined && { ratio }),
    ...(duration !== undefined && { duration: Number(duration) }),
  };
}

function readOrder(call: VendorCall) {
  const order = readBody(Body, call);
  const name = order.model;
  const model = arkModels.find(([pattern]) => pattern.test(name))?.[1];
  if (!model) {
    throw unknownModel(name);
  }
  const prompt = order.content.map(({ text }) => text).join("\n");
  const parameters = { ...order, ...readCommands(prompt) };
  const { resolution = model.defaultResolution, ratio = "16:9", duration = 5 } = parameters;
  const unitPrice = model.prices[resolution];
  if (unitPrice === undefined || !RATIOS.includes(ratio) || !model.seconds.includes(duration)) {
    throw badRequest(`The model does not support ${duration} seconds of ${resolution} at ${ratio}.`);
  }
  const size = resolution;
  return { model: name, prompt, keptPrompt: prompt, seconds: duration, resolution, size, ratio, unitPrice };
}

const failures = {
  content: {
    code: "OutputVideoSensitiveContentDetected",
    message: "The request failed because the output video may contain sensitive information.",
  },
  internal: {
    code: "InternalServiceError",
    message: "The service encountered an unexpected internal error.",
  },
  bare: null,
};

function show(task: VendorTask, view: View) {
  const { submittedAt, startedAt, endedAt, seconds, resolution, ratio } = task;
  const isDone = view.state === "succeeded";
  return {
    status: 200,
    json: {
      id: view.taskId,
      model: task.model,
      status: STATUSES[view.state],
      ...(view.failure && { error: failures[view.failure] }),
      created_at: Math.floor(submittedAt / 1_000),
      updated_at: Math.floor((endedAt ?? startedAt ?? submittedAt) / 1_000),
      ...(isDone && {
        content: view.url === null ? {} : { video_url: view.url },
        // 108900 for 5 seconds of 720p, as in the documentation's sample.
        usage: { completion_tokens: seconds * 21_780, total_tokens: seconds * 21_780 },
        ...{ resolution, ratio, duration: seconds, framespersecond: 24 },
      }),
    },
  };
}

function operation({ method, path }: VendorCall): ReturnType<VendorDialect["operation"]> {
  const taskId = /^\/contents\/generations\/tasks\/([^/]+)$/.exec(path)?.[1];
  if (method === "POST" && path === "/contents/generations/tasks") {
    return { kind: "submit" };
  }
  if (method === "GET" && taskId) {
    return { kind: "poll", taskId };
  }
  return method === "DELETE" && taskId ? { kind: "cancel", taskId } : null;
}

/** Volcengine Ark's Seedance tasks. */
export const ark: VendorDialect = {
  name: "ark",
  basePath: "/ark/api/v3",
  keepsTaskMs: 7 * DAY_MS,
  newTaskId: () => `cgt-${randomBytes(8).toString("hex")}`,
  operation,
  readOrder,
  refuse,
  accepted: (_task, taskId) => ({ status: 200, json: { id: taskId } }),
  show,
  // One method for two actions: a queued task is cancelled, one that has ended is forgotten.
  cancel: (task, tasks) => {
    if (tasks.cancel(task)) {
      return "cancelled";
    }
    if (task.state === "running") {
      return "tooLate";
    }
    tasks.forget(task);
    return "forgotten";
  },
  cancelled: () => ({ status: 200, json: {} }),
};
