import { Stack, Table, Text } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { parseMoney } from "@/server/base/money";
import { ScrollRegion } from "../_components/tables/scroll-region";
import { Money } from "../_components/text/money";
import { useAmount } from "../_components/text/use-amount";
import { useConditions } from "../_components/text/use-conditions";
import { useUnitName } from "../_components/text/use-unit-name";
import type { CallDetail } from "./call";

/** Each class of tokens at its price; the amounts add up to the charge. */
function Lines({ call, cost }: { call: CallDetail; cost: string }) {
  const t = useTranslations("requests");
  const format = useFormatter();
  const nameOfUnit = useUnitName();
  const countOf = ({ tokens, unit }: CallDetail["lines"][number]) => tokens ?? unit?.count ?? null;
  return (
    <ScrollRegion label={t("whyTitle")} className="table-scroll">
      <Table aria-label={t("whyTitle")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t("class")}</Table.Th>
            <Table.Th scope="col" data-figure ta="end">
              {t(call.lines.some(({ unit }) => unit !== null) ? "quantity" : "tokens")}
            </Table.Th>
            <Table.Th scope="col" data-figure ta="end">
              {t("price")}
            </Table.Th>
            <Table.Th scope="col" data-figure ta="end">
              {t("amount")}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {call.lines.map((line) => (
            <Table.Tr key={line.unit?.name ?? line.class}>
              <Table.Th scope="row" fw={400}>
                {line.class === "unit" ? nameOfUnit(line.unit?.name ?? "") : t(`classes.${line.class}`)}
              </Table.Th>
              <Table.Td data-figure ta="end">
                {countOf(line) === null ? t("oneVideo") : format.number(countOf(line) ?? 0)}
              </Table.Td>
              <Table.Td data-figure ta="end">
                <Money value={line.price} />
              </Table.Td>
              <Table.Td data-figure ta="end">
                <Money value={line.amount} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row" colSpan={3}>
              {t("sum")}
            </Table.Th>
            <Table.Td data-figure ta="end" fw={650}>
              <Money value={cost} />
            </Table.Td>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </ScrollRegion>
  );
}

/** Compares two exact amounts. */
const isMore = (left: string, right: string) => (parseMoney(left) ?? 0n) > (parseMoney(right) ?? 0n);

function Charged({ call, cost }: { call: CallDetail; cost: string }) {
  const t = useTranslations("requests");
  const amount = useAmount();
  const format = useFormatter();
  const whenOf = useConditions();
  const reasoning = call.tokens?.reasoning ?? 0;
  return (
    <>
      {call.lines.length > 0 ? (
        <Lines call={call} cost={cost} />
      ) : (
        <Text size="sm">{t("freeText", { amount: amount(cost) })}</Text>
      )}
      {reasoning > 0 && <Text size="sm">{t("reasoningText", { tokens: format.number(reasoning) })}</Text>}
      {call.lines.some(({ tokens }) => tokens !== null) && <Text size="sm">{t("roundedText")}</Text>}
      {call.lines.some(({ unit }) => unit !== null) && <Text size="sm">{t("unitsText")}</Text>}
      {call.conditions !== null && (
        <Text size="sm">{t("conditionsText", { when: whenOf(call.conditions) })}</Text>
      )}
      {call.usageSource !== null && (call.tokens || call.lines.length > 0) && (
        <Text size="sm">{t(`sources.${call.usageSource}`)}</Text>
      )}
      {call.cut !== null && <Text size="sm">{t(`cuts.${call.cut}`)}</Text>}
      {call.hasOtherModel && <Text size="sm">{t("otherModelText")}</Text>}
      {call.hasUnreadCounts && <Text size="sm">{t("unreadCountsText")}</Text>}
      {call.isNotBelieved && <Text size="sm">{t("notBelievedText")}</Text>}
      {call.isLate && <Text size="sm">{t("lateText")}</Text>}
      {call.held !== null && call.held !== cost && (
        <Text size="sm">
          {t(isMore(cost, call.held) ? "heldLessText" : "heldText", {
            held: amount(call.held),
            cost: amount(cost),
          })}
        </Text>
      )}
    </>
  );
}

/** Whether the charge needs an explanation beyond the state of the money. */
export const hasReason = ({ error, cost, quote, taskId }: CallDetail): boolean =>
  error === null || cost !== null || quote !== null || taskId !== null;

/** The reasons for a request's charge, or for none. The state of a failed request's money is shown with its error. */
export function ChargeReason({ call }: { call: CallDetail }) {
  const t = useTranslations("requests");
  const amount = useAmount();
  const { quote } = call;
  return (
    <Stack gap="xs">
      {quote && (
        <Text size="sm">
          {t("quoteText", {
            seconds: quote.durationSeconds,
            resolution: quote.resolution,
            amount: amount(quote.price),
          })}
        </Text>
      )}
      {call.cost !== null && <Charged call={call} cost={call.cost} />}
      {call.error === null && call.money === "returned" && (
        <Text size="sm">{t("returnedText", { amount: amount(call.held ?? "0") })}</Text>
      )}
      {call.error === null && call.money === "frozen" && <Text size="sm">{t("frozenText")}</Text>}
      {call.error === null && call.money === "none" && <Text size="sm">{t("noneText")}</Text>}
      {call.taskId !== null && <Text size="sm">{t("sharedText")}</Text>}
    </Stack>
  );
}
