import { Alert } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { ComparedFigures, type FigureComparison } from "../_components/charts/compared-figure";
import { ShortMoney } from "../_components/text/money";
import { useAmount } from "../_components/text/use-amount";
import { type Margin, marginShare } from "./margin-filter";
import { Share } from "./share";

/**
 * A span's earnings, compared with the previous span. Calls of unknown cost are shown separately and are in no
 * figure.
 */
export function MarginTotals({ margin }: { margin: Margin }) {
  const t = useTranslations("margin");
  const amount = useAmount("short");
  const { total, unknown } = margin;
  const totals = { now: total, before: total.before };
  const money = (id: "amount" | "cost" | "margin"): FigureComparison => ({
    id,
    name: t(id),
    sums: { now: Number(total[id]), before: Number(total.before[id]) },
    show: (when) => <ShortMoney value={totals[when][id]} />,
  });
  const figures: FigureComparison[] = [
    money("amount"),
    money("cost"),
    money("margin"),
    {
      id: "share",
      name: t("share"),
      show: (when) => <Share value={marginShare(totals[when])} />,
    },
  ];
  return (
    <div>
      <ComparedFigures figures={figures} isCompared={total.before.calls > 0} />
      {unknown.calls > 0 && (
        <Alert color="orange" icon={<IconInfoCircle aria-hidden />}>
          {t("unknown", { count: unknown.calls, amount: amount(unknown.amount) })}
        </Alert>
      )}
    </div>
  );
}
