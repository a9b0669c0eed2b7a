import { useTranslations } from "use-intl";
import { TwoLines } from "../_components/tables/two-lines";
import { Money } from "../_components/text/money";
import type { VideoTaskRow } from "./task";

/** The price, and whether it is frozen, charged or returned. */
export function TaskMoney({ task }: { task: VideoTaskRow }) {
  const t = useTranslations("videos");
  return (
    <TwoLines align="flex-end" below={t(task.money)}>
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
