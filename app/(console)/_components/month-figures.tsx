import { FigureList } from "./figure-list";
import { Money } from "./money";
import { type Month, QuotaBar } from "./quota-bar";

const figures = ["quota", "topups", "used", "frozen", "available"] as const;

type Props = { month: Month; label: (figure: keyof Month) => string };

/** A month as a bar and, below it, to the last digit. `label`: names a figure. */
export function MonthFigures({ month, label }: Props) {
  return (
    <>
      <QuotaBar month={month} size="lg" />
      <FigureList
        figures={figures.map((id) => ({ id, name: label(id), value: <Money value={month[id]} /> }))}
      />
    </>
  );
}
