import { useTranslations } from "use-intl";
import type { Task } from "./task";

/** `5 s · 720p · 16:9` */
export function useFormText(): (task: Task) => string {
  const t = useTranslations("videos");
  return (task) =>
    [t("seconds", { seconds: task.durationSeconds }), task.resolution, task.aspectRatio]
      .filter(Boolean)
      .join(" · ");
}
