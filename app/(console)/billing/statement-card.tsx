import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../_components/cards/card";
import { QuotaBar } from "../_components/charts/quota-bar";
import { SumRow } from "../_components/tables/sum-row";
import { SumTable } from "../_components/tables/sum-table";
import { exactDecimals } from "../_components/text/amount";
import { useInstallation } from "../_components/text/installation";
import { ColumnPlaces } from "../_components/text/money";
import { useMonthName } from "../_components/text/use-month-name";
import { useSpanOf } from "../_components/text/use-span-of";
import { type Statement, termOf } from "./billing";

const lines = [
  "grant",
  "adjusted",
  "topups",
  "refunded",
  "adjustments",
  "carried",
  "used",
  "frozen",
] as const;

/** Lines that most months do not have. */
const rare: readonly (typeof lines)[number][] = ["adjusted", "refunded", "adjustments", "carried"];

const Hint = ({ children }: { children: string }) => (
  <Text size="xs" c="dimmed" fw={400}>
    {children}
  </Text>
);

/** A month as a sum that adds up on screen. */
export function StatementCard({ statement }: { statement: Statement }) {
  const t = useTranslations("billing");
  const pay = useTranslations("payments");
  const { billingTimeZone: timeZone, payments } = useInstallation();
  const isOver = !statement.isUnderWay;
  const amounts = { ...statement, ...statement.apart };
  const shown = lines.filter((line) => amounts[line] !== "0" || !rare.includes(line));
  const title = t("statement", { period: useMonthName()(statement.period) });
  // The month ends where the next begins: its last day is a moment earlier.
  const last = new Date(Date.parse(statement.end) - 1);
  const span = useSpanOf()(new Date(statement.start), last, { dateStyle: "long", timeZone });
  return (
    <Card
      title={title}
      text={t("span", { span, zone: timeZone })}
      aside={
        payments && (
          <Anchor component={Link} href={addresses.ownPayments()} size="sm">
            {pay("ownTitle")}
          </Anchor>
        )
      }
    >
      <QuotaBar month={statement} size="lg" />
      <ColumnPlaces value={exactDecimals([...shown.map((line) => amounts[line]), statement.available])}>
        <SumTable
          label={title}
          foot={
            <SumRow
              isSum
              sign="="
              name={t(isOver ? "availableOver" : "lines.available")}
              hint={<Hint>{t(isOver ? "availableOverHint" : "linesHint.available")}</Hint>}
              amount={statement.available}
            />
          }
        >
          {shown.map((line) => (
            <SumRow
              key={line}
              name={t(`lines.${line}`)}
              hint={<Hint>{t(`linesHint.${line}`)}</Hint>}
              {...termOf(amounts[line], line === "used" || line === "frozen")}
            />
          ))}
        </SumTable>
      </ColumnPlaces>
    </Card>
  );
}
