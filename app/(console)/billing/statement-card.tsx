"use client";

import { Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { useInstallation } from "../_components/installation";
import { Money } from "../_components/money";
import { QuotaBar } from "../_components/quota-bar";
import type { Statement } from "./billing";

const lines = ["grant", "adjusted", "topups", "used", "frozen"] as const;

/** As a term of the sum: what is taken away has its sign before it. */
function termOf(line: (typeof lines)[number], amount: string): { sign: string; amount: string } {
  const isTaken = line === "used" || line === "frozen";
  if (amount.startsWith("-")) {
    return { sign: isTaken ? "+" : "−", amount: amount.slice(1) };
  }
  return { sign: isTaken ? "−" : "+", amount };
}

function Line(props: { sign: string; name: string; hint: string; amount: string; isSum?: boolean }) {
  const weight = props.isSum ? 650 : 400;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={weight}>
        {props.name}
        <Text size="xs" c="dimmed" fw={400}>
          {props.hint}
        </Text>
      </Table.Th>
      <Table.Td data-figure ta="end" fw={weight}>
        {props.sign} <Money value={props.amount} />
      </Table.Td>
    </Table.Tr>
  );
}

/** A month as a sum that adds up on screen. */
export function StatementCard({ statement }: { statement: Statement }) {
  const t = useTranslations("billing");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  const day = (at: number) => format.dateTime(new Date(at), { dateStyle: "long", timeZone });
  const isOver = !statement.isUnderWay;
  // The month ends where the next begins: its last day is a moment earlier.
  const span = { start: day(Date.parse(statement.start)), end: day(Date.parse(statement.end) - 1) };
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="statement">
      <Stack>
        <div>
          <Title order={2} size="h4" id="statement">
            {t("statement", { period: statement.period })}
          </Title>
          <Text size="sm" c="dimmed">
            {t("span", { ...span, zone: timeZone })}
          </Text>
        </div>
        <QuotaBar month={statement} size="lg" />
        <Table aria-label={t("statement", { period: statement.period })}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t("item")}</Table.Th>
              <Table.Th scope="col" ta="end">
                {t("amount")}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line) => (
              <Line
                key={line}
                name={t(`lines.${line}`)}
                hint={t(`linesHint.${line}`)}
                {...termOf(line, statement[line])}
              />
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Line
              isSum
              sign="="
              name={t(isOver ? "availableOver" : "lines.available")}
              hint={t(isOver ? "availableOverHint" : "linesHint.available")}
              amount={statement.available}
            />
          </Table.Tfoot>
        </Table>
      </Stack>
    </Paper>
  );
}
