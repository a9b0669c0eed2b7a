import { useTranslations } from "use-intl";
import { TwoLines } from "../_components/tables/two-lines";
import { Money } from "../_components/text/money";
import type { VideoTaskRow } from "./task";

/** The price, and whether it is frozen, charged or returned. */
export function TaskMoney({ task, isFigure = true }: { task: VideoTaskRow; isFigure?: boolean }) {
  const t = useTranslations("videos");
  return (
    <TwoLines align={isFigure ? "flex-end" : "flex-start"} below={t(task.money)}>
      {task.money === "returned" ? (
        <s className="dimmed">
          <Money value={task.price} />
        </s>
      ) : (
        <Money value={task.price} />
      )}
    </TwoLines>
  );
}
