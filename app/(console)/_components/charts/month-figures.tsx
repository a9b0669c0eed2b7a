import { FigureList } from "../cards/figure-list";
import { ShortMoney } from "../text/money";
import { QuotaBar, type QuotaMonth } from "./quota-bar";

const figures = ["quota", "topups", "used", "frozen", "available"] as const;

type Props = { month: QuotaMonth; label: (figure: keyof QuotaMonth) => string };

/** A month as a bar, and its figures below. `label`: names a figure. */
export function MonthFigures({ month, label }: Props) {
  return (
    <>
      <QuotaBar month={month} size="lg" />
      <FigureList
        figures={figures.map((id) => ({ id, name: label(id), value: <ShortMoney value={month[id]} /> }))}
      />
    </>
  );
}
