import { randomBytes } from "node:crypto";
import { z } from "zod";
import { badRequest, type Call, type Dialect, Refused, type Reply, type View } from "./dialect";
import { openAiVideoModels } from "./models";
import type { Task } from "./tasks";

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

/** Numbers are text here, in a form as in JSON. */
const Body = z.object({
  model: z.string(),
  prompt: z.string().min(1),
  seconds: z.string().optional(),
  size: z.string().optional(),
});

const refusal = (status: number, code: string | null, message: string): Reply => ({
  status,
  json: { error: { message, type: "invalid_request_error", param: null, code } },
});

function readOrder({ body }: Call) {
  const parsed = Body.safeParse(body);
  if (!parsed.success) {
    throw badRequest(z.prettifyError(parsed.error));
  }
  const { model: name, prompt } = parsed.data;
  const model = Object.hasOwn(openAiVideoModels, name) ? openAiVideoModels[name] : undefined;
  if (!model) {
    throw new Refused({ kind: "unknownModel", model: name });
  }
  const { seconds = model.seconds[0] ?? "4", size = "720x1280" } = parsed.data;
  const unitPrice = Object.hasOwn(model.prices, size) ? model.prices[size] : undefined;
  if (unitPrice === undefined || !model.seconds.includes(seconds)) {
    throw badRequest(`The model does not support ${seconds} seconds at ${size}.`);
  }
  const sides = size.split("x").map(Number);
  return {
    model: name,
    prompt,
    keptPrompt: prompt,
    seconds: Number(seconds),
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

function video(task: Task, view: View): Record<string, unknown> {
  const { endedAt } = task;
  const isDone = view.state === "succeeded";
  const expired = { code: "expired", message: "The video expired before it was generated." };
  return {
    id: view.taskId,
    object: "video",
    model: task.model,
    status: STATUSES[view.state],
    progress: view.progress,
    created_at: unixSeconds(task.submittedAt),
    completed_at: isDone ? unixSeconds(endedAt) : null,
    expires_at: isDone && endedAt !== null ? unixSeconds(endedAt + HOUR_MS) : null,
    seconds: String(task.seconds),
    size: task.size,
    prompt: task.prompt,
    remixed_from_video_id: null,
    error: view.state === "expired" ? expired : view.failure && failures[view.failure],
  };
}

function operation({ method, path }: Call): ReturnType<Dialect["operation"]> {
  const [, taskId, content] = /^\/videos\/([^/]+)(?:\/(content))?$/.exec(path) ?? [];
  if (method === "POST" && path === "/videos") {
    return { kind: "submit" };
  }
  if (method === "GET" && taskId) {
    return { kind: content ? "content" : "poll", taskId };
  }
  return method === "DELETE" && taskId && !content ? { kind: "cancel", taskId } : null;
}

/** OpenAI's videos, as gateways and servers of one's own still speak it. A file has no address, only `/content`. */
export const openAiVideos: Dialect = {
  name: "openai-video",
  basePath: "/openai/v1",
  keepsTaskMs: Number.POSITIVE_INFINITY,
  newTaskId: () => `video_${randomBytes(16).toString("hex")}`,
  operation,
  readOrder,
  refuse: (refused) => {
    switch (refused.kind) {
      case "badKey":
        return refusal(401, "invalid_api_key", "Incorrect API key provided.");
      case "arrears":
        return refusal(429, "insufficient_quota", "You exceeded your current quota.");
      case "tooMany":
      case "queueFull":
        return refusal(429, "rate_limit_exceeded", "Rate limit reached.");
      case "content":
        return refusal(400, "moderation_blocked", "Your request was blocked by our moderation system.");
      case "internal":
        return refusal(500, null, "The server had an error while processing your request.");
      case "unavailable":
        return refusal(503, null, "The engine is currently overloaded.");
      case "notAsync":
        return refusal(400, null, "The request is not valid.");
      case "badRequest":
        return refusal(400, "invalid_value", refused.message);
      case "unknownModel":
        return refusal(404, "model_not_found", `The model ${refused.model} does not exist.`);
      case "unknownTask":
        return refusal(404, "not_found", `Video ${refused.taskId} not found.`);
      case "notCancellable":
        return refusal(400, null, `Video ${refused.taskId} cannot be deleted.`);
    }
  },
  accepted: (task, taskId) => ({
    status: 200,
    json: video(task, { state: "pending", failure: null, url: null, progress: 0, taskId }),
  }),
  show: (task, view) => ({ status: 200, json: video(task, view) }),
  // Only the record goes; what runs runs on, and is paid for (seen at vLLM-Omni).
  cancel: (task, tasks) => {
    tasks.forget(task);
    return "forgotten";
  },
  cancelled: (task) => ({ status: 200, json: { id: task.id, object: "video.deleted", deleted: true } }),
};
