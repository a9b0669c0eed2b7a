import type { Language } from "@/server/base/language";
import type { TaskState } from "@/server/domain/enums";
import { failureIn, failures } from "@/server/domain/task-failures";

/** The data of a video task for its owner (spec 2.5): exactly the members of its state, all in the gateway's terms. */
export type ShownTask = {
  id: string;
  modelId: string;
  /** `submitting`: no upstream has it yet, which clients do not see. */
  state: TaskState;
  /** 0 to 100. */
  progress: number;
  error: { code: string; message: string } | null;
  createdAt: Date;
  completedAt: Date | null;
};

/** The body of the 202. A repeated submission gets the first one's, whatever the task's state is now. */
export const submissionView = (task: ShownTask) => ({
  id: task.id,
  model: task.modelId,
  status: "processing",
  created_at: task.createdAt.toISOString(),
});

/** Members of completed tasks only. `totalCost`: in currency units. */
export type VideoResult = { videoUrl: string; totalCost: number };

/** The body of a status answer. `deliver` is called for completed tasks only; `language` is the reader's. */
export function statusView(task: ShownTask, deliver: () => VideoResult, language: Language) {
  const isCompleted = task.state === "completed";
  const common = {
    id: task.id,
    model: task.modelId,
    status: task.state === "submitting" ? "processing" : task.state,
    progress: isCompleted ? 100 : task.progress,
    created_at: task.createdAt.toISOString(),
    // Failed and cancelled tasks have ended, but never completed.
    completed_at: isCompleted ? (task.completedAt?.toISOString() ?? null) : null,
  };
  if (isCompleted) {
    const { videoUrl, totalCost } = deliver();
    return { ...common, video_url: videoUrl, usage: { total_cost: totalCost } };
  }
  if (task.state !== "failed") {
    return common;
  }
  const { code, message } = task.error ?? { code: "upstream_error", message: failures.unexplained.zh };
  return { ...common, error: { code, message: failureIn(language, message) } };
}
