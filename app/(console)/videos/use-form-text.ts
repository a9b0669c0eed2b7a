import { useTranslations } from "use-intl";
import type { VideoTaskRow } from "./task";

/** `5 s · 720p · 16:9` */
export function useFormText(): (task: VideoTaskRow) => string {
  const t = useTranslations("videos");
  return (task) =>
    [t("seconds", { seconds: task.durationSeconds }), task.resolution, task.aspectRatio]
      .filter(Boolean)
      .join(" · ");
}
