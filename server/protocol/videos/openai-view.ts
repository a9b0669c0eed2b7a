import type { Language } from "@/server/base/language";
import type { AspectRatio, Resolution } from "@/server/domain/enums";
import { failureIn, failures } from "@/server/domain/task-failures";
import { sizeOf } from "./sizes";
import type { ShownTask } from "./view";

/** The data of a task for OpenAI's video object. */
export type ShownVideo = ShownTask & {
  /** "" once the prompt has been deleted. */
  prompt: string;
  durationSeconds: number;
  resolution: Resolution;
  aspectRatio: AspectRatio | null;
};

const secondsOf = (moment: Date) => Math.floor(moment.getTime() / 1000);

/** Whether a client has to ask again. */
export const isUnderWay = ({ state }: Pick<ShownTask, "state">) =>
  state === "submitting" || state === "processing";

function statusOf({ state, progress }: ShownTask) {
  switch (state) {
    case "submitting":
      return "queued";
    case "processing":
      return progress > 0 ? "in_progress" : "queued";
    case "completed":
      return "completed";
    // The shape has no status for a cancelled task; its error says so.
    case "failed":
    case "cancelled":
      return "failed";
  }
}

function errorOf({ state, error }: ShownTask, language: Language) {
  if (state === "cancelled") {
    return { code: "cancelled", message: failures.cancelled[language] };
  }
  if (state !== "failed") {
    return null;
  }
  const { code, message } = error ?? { code: "upstream_error", message: failures.unexplained.zh };
  return { code, message: failureIn(language, message) };
}

/** A task as OpenAI's video object, with all of its members. Times in unix seconds, `seconds` as text. */
export function openaiVideo(task: ShownVideo, language: Language) {
  const isCompleted = task.state === "completed";
  return {
    id: task.id,
    object: "video" as const,
    created_at: secondsOf(task.createdAt),
    status: statusOf(task),
    completed_at: isCompleted && task.completedAt ? secondsOf(task.completedAt) : null,
    error: errorOf(task, language),
    // Only the vendor knows how long it keeps the file, and most do not say.
    expires_at: null,
    model: task.modelId,
    progress: isCompleted ? 100 : task.progress,
    prompt: task.prompt || null,
    remixed_from_video_id: null,
    seconds: String(task.durationSeconds),
    size: sizeOf(task),
  };
}
