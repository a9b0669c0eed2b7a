import { useTranslations } from "use-intl";
import { Dimmed } from "../_components/tables/dimmed";
import { TwoLines } from "../_components/tables/two-lines";
import { ShortMoney } from "../_components/text/money";
import type { RequestRow } from "./call";

/** A request's cost, or the state of its money. A task has one charge, however often its submission was repeated. */
export function CallCost({ call }: { call: RequestRow }) {
  const t = useTranslations("requests");
  const isOfTask = call.taskId !== null;
  if (call.cost === null) {
    return <Dimmed>{t(`money.${call.money}`)}</Dimmed>;
  }
  return (
    <TwoLines below={isOfTask && <span className="unbroken">{t("ofTask")}</span>}>
      <ShortMoney value={call.cost} />
    </TwoLines>
  );
}
