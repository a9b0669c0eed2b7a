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
import { openAiVideoModels } from "./models";
import type { VendorTask } from "./tasks";

const HOUR_MS = 3_600_000;
const STATUSES: Record<View["state"], string> = {
  pending: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
  expired: "failed",
  odd: "suspended",
};

/** Numbers are strings here, in a form as in JSON. */
const Body = z.object({
  model: z.string(),
  prompt: z.string().min(1),
  seconds: z.string().optional(),
  size: z.string().optional(),
});

const refuse = refuser(
  (status, code, message) => ({
    status,
    json: { error: { message, type: "invalid_request_error", param: null, code } },
  }),
  {
    badKey: [401, "invalid_api_key", "Incorrect API key provided."],
    arrears: [429, "insufficient_quota", "You exceeded your current quota."],
    tooMany: [429, "rate_limit_exceeded", "Rate limit reached."],
    queueFull: [429, "rate_limit_exceeded", "Rate limit reached."],
    content: [400, "moderation_blocked", "Your request was blocked by our moderation system."],
    internal: [500, null, "The server had an error while processing your request."],
    unavailable: [503, null, "The engine is currently overloaded."],
    notAsync: [400, null, "The request is not valid."],
    badRequest: [400, "invalid_value", "{}"],
    unknownModel: [404, "model_not_found", "The model {} does not exist."],
    unknownTask: [404, "not_found", "Video {} not found."],
    notCancellable: [400, null, "Video {} cannot be deleted."],
  },
);

function readOrder(call: VendorCall) {
  const order = readBody(Body, call);
  const { model: name, prompt } = order;
  const model = Object.hasOwn(openAiVideoModels, name) ? openAiVideoModels[name] : undefined;
  if (!model) {
    throw unknownModel(name);
  }
  const { seconds = model.seconds[0] ?? "4", size = "720x1280" } = order;
  const unitPrice = Object.hasOwn(model.prices, size) ? model.prices[size] : undefined;
  if (unitPrice === undefined || !model.seconds.includes(seconds)) {
    throw badRequest(`The model does not support ${seconds} seconds at ${size}.`);
  }
  const sides = size.split("x").map(Number);
  return {
    ...{ model: name, prompt, keptPrompt: prompt, seconds: Number(seconds) },
    resolution: `${Math.min(...sides)}p`,
    size,
    ratio: (sides[0] ?? 0) > (sides[1] ?? 0) ? "16:9" : "9:16",
    unitPrice,
  };
}

const failures = {
  content: { code: "moderation_blocked", message: "The video was blocked by our moderation system." },
  internal: { code: "internal_error", message: "The video could not be generated." },
  bare: null,
};

const unixSeconds = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1_000));

function video(task: VendorTask, view: View): Record<string, unknown> {
  const { endedAt } = task;
  const isDone = view.state === "succeeded";
  const expired = { code: "expired", message: "The video expired before it was generated." };
  return {
    ...{ id: view.taskId, object: "video", model: task.model, status: STATUSES[view.state] },
    ...{ progress: view.progress, created_at: unixSeconds(task.submittedAt) },
    completed_at: isDone ? unixSeconds(endedAt) : null,
    expires_at: isDone && endedAt !== null ? unixSeconds(endedAt + HOUR_MS) : null,
    ...{ seconds: String(task.seconds), size: task.size, prompt: task.prompt },
    remixed_from_video_id: null,
    error: view.state === "expired" ? expired : view.failure && failures[view.failure],
  };
}

function operation({ method, path }: VendorCall): ReturnType<VendorDialect["operation"]> {
  const [, taskId, content] = /^\/videos\/([^/]+)(?:\/(content))?$/.exec(path) ?? [];
  if (method === "POST" && path === "/videos") {
    return { kind: "submit" };
  }
  if (method === "GET" && taskId) {
    return { kind: content ? "content" : "poll", taskId };
  }
  return method === "DELETE" && taskId && !content ? { kind: "cancel", taskId } : null;
}

/**
 * OpenAI's videos, as gateways and self-hosted servers still implement them. A file has no address, only `/content`.
 */
export const openAiVideos: VendorDialect = {
  name: "openai-video",
  basePath: "/openai/v1",
  keepsTaskMs: Number.POSITIVE_INFINITY,
  newTaskId: () => `video_${randomBytes(16).toString("hex")}`,
  operation,
  readOrder,
  refuse,
  accepted: (task, taskId) => ({
    status: 200,
    json: video(task, { state: "pending", failure: null, url: null, progress: 0, taskId }),
  }),
  show: (task, view) => ({ status: 200, json: video(task, view) }),
  // Only the record is deleted; a running task continues, and is billed (seen at vLLM-Omni).
  cancel: (task, tasks) => {
    tasks.forget(task);
    return "forgotten";
  },
  cancelled: (task) => ({ status: 200, json: { id: task.id, object: "video.deleted", deleted: true } }),
};
