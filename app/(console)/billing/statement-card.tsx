import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../_components/cards/card";
import { QuotaBar } from "../_components/charts/quota-bar";
import { SumRow } from "../_components/tables/sum-row";
import { SumTable } from "../_components/tables/sum-table";
import { exactDecimals } from "../_components/text/amount";
import { useInstallation } from "../_components/text/installation";
import { ColumnPlaces } from "../_components/text/money";
import { useMonthName } from "../_components/text/use-month-name";
import type { Statement } from "./billing";

const lines = ["grant", "adjusted", "topups", "used", "frozen"] as const;

/** An amount as a term of the sum, with its sign in front. */
function termOf(line: (typeof lines)[number], amount: string): { sign: string; amount: string } {
  const isTaken = line === "used" || line === "frozen";
  if (amount.startsWith("-")) {
    return { sign: isTaken ? "+" : "−", amount: amount.slice(1) };
  }
  return { sign: isTaken ? "−" : "+", amount };
}

const Hint = ({ children }: { children: string }) => (
  <Text size="xs" c="dimmed" fw={400}>
    {children}
  </Text>
);

/** A month as a sum that adds up on screen. */
export function StatementCard({ statement }: { statement: Statement }) {
  const t = useTranslations("billing");
  const format = useFormatter();
  const pay = useTranslations("payments");
  const { billingTimeZone: timeZone, payments } = useInstallation();
  const day = (at: number) => format.dateTime(new Date(at), { dateStyle: "long", timeZone });
  const isOver = !statement.isUnderWay;
  const title = t("statement", { period: useMonthName()(statement.period) });
  // The month ends where the next begins: its last day is a moment earlier.
  const span = { start: day(Date.parse(statement.start)), end: day(Date.parse(statement.end) - 1) };
  return (
    <Card
      title={title}
      text={t("span", { ...span, zone: timeZone })}
      aside={
        payments && (
          <Anchor component={Link} href={addresses.ownPayments()} size="sm">
            {pay("ownTitle")}
          </Anchor>
        )
      }
    >
      <QuotaBar month={statement} size="lg" />
      <ColumnPlaces value={exactDecimals([...lines.map((line) => statement[line]), statement.available])}>
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
          {lines.map((line) => (
            <SumRow
              key={line}
              name={t(`lines.${line}`)}
              hint={<Hint>{t(`linesHint.${line}`)}</Hint>}
              {...termOf(line, statement[line])}
            />
          ))}
        </SumTable>
      </ColumnPlaces>
    </Card>
  );
}
