import { useTranslations } from "use-intl";
import { Money } from "../_components/money";
import { TwoLines } from "../_components/two-lines";
import type { Task } from "./task";

/** The price, and whether it is frozen, charged or returned. */
export function TaskMoney({ task }: { task: Task }) {
  const t = useTranslations("videos");
  return (
    <TwoLines below={t(task.money)}>
      <Money value={task.price} />
    </TwoLines>
  );
}
