import { FigureList } from "../cards/figure-list";
import { ShortMoney } from "../text/money";
import { displayedAvailable } from "./available-amount";
import { QuotaBar, type QuotaMonth } from "./quota-bar";

const figures = ["quota", "topups", "refunds", "used", "frozen", "available"] as const;

/** The sign of each figure in the sum. The quota, which is the first, has none. */
const signs: Partial<Record<(typeof figures)[number], string>> = {
  ...{ topups: "+", refunds: "+", used: "−", frozen: "−", available: "=" },
};

type Props = { month: QuotaMonth; label: (figure: keyof QuotaMonth) => string };

/** A month as a bar, and its figures below, which add up as they are shown. `label`: names a figure. */
export function MonthFigures({ month, label }: Props) {
  const { refunds = "0", ...others } = month;
  const amounts = { ...others, refunds };
  return (
    <>
      <QuotaBar month={month} size="lg" />
      <FigureList
        figures={figures
          .filter((id) => id !== "refunds" || refunds !== "0")
          .map((id) => ({
            id,
            name: label(id),
            sign: signs[id],
            value: (
              <ShortMoney
                value={id === "available" ? displayedAvailable(month) : amounts[id]}
                exact={amounts[id]}
                decimals={2}
              />
            ),
          }))}
      />
    </>
  );
}
