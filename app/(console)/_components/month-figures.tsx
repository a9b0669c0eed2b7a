import { Text } from "@mantine/core";
import { Money } from "./money";
import { type Month, QuotaBar } from "./quota-bar";

const figures = ["quota", "topups", "used", "frozen", "available"] as const;

type Props = { month: Month; label: (figure: keyof Month) => string };

/** A month as a bar and, below it, to the last digit. `label`: names a figure. */
export function MonthFigures({ month, label }: Props) {
  return (
    <>
      <QuotaBar month={month} size="lg" />
      <dl className="facts">
        {figures.map((figure) => (
          <div key={figure}>
            <Text component="dt" size="sm" c="dimmed">
              {label(figure)}
            </Text>
            <Text component="dd" m={0} fw={600}>
              <Money value={month[figure]} />
            </Text>
          </div>
        ))}
      </dl>
    </>
  );
}
