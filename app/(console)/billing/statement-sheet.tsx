import { Button, Stack, Text, Title } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { PageHeader } from "../_components/shell/page-header";
import { ScrollRegion } from "../_components/tables/scroll-region";
import { SumRow } from "../_components/tables/sum-row";
import { SumTable } from "../_components/tables/sum-table";
import { exactDecimals } from "../_components/text/amount";
import { useInstallation } from "../_components/text/installation";
import { ColumnPlaces, Money } from "../_components/text/money";
import { Timestamp } from "../_components/text/timestamp";
import { useMonthName } from "../_components/text/use-month-name";
import { useSpanOf } from "../_components/text/use-span-of";
import { termOf, type WholeStatement } from "./billing";
import { Invoice, Parties } from "./statement-invoice";

/** The terms between the opening and the closing balance. */
const terms = ["adjusted", "topups", "refunded", "adjustments", "carried", "used", "frozen"] as const;

const taken: readonly (typeof terms)[number][] = ["used", "frozen"];

/** Terms that every month has. */
const usual: readonly (typeof terms)[number][] = ["topups", "used"];

function Figures({ statement }: { statement: WholeStatement }) {
  const t = useTranslations("billing");
  const { opening, closing } = statement;
  const shown = terms.filter((term) => statement[term] !== "0" || usual.includes(term));
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("sheet.figures")}
      </Title>
      <SumTable label={t("sheet.figures")}>
        <ColumnPlaces value={exactDecimals([opening, closing, ...shown.map((term) => statement[term])])}>
          <SumRow name={t("sheet.terms.opening")} amount={opening} />
          {shown.map((term) => (
            <SumRow
              key={term}
              name={t(`sheet.terms.${term}`)}
              {...termOf(statement[term], taken.includes(term))}
            />
          ))}
          <SumRow isSum sign="=" name={t("sheet.terms.closing")} amount={closing} />
        </ColumnPlaces>
      </SumTable>
    </Stack>
  );
}

type StatementLine = { id: string; name: string } & Pick<
  WholeStatement["models"][number],
  "calls" | "inputTokens" | "outputTokens" | "amount"
>;

function Lines(props: { title: string; name: string; lines: StatementLine[]; total: string }) {
  const t = useTranslations("billing");
  const format = useFormatter();
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {props.title}
      </Title>
      <ColumnPlaces value={exactDecimals([...props.lines.map(({ amount }) => amount), props.total])}>
        <ScrollRegion className="table-scroll" label={props.title}>
          <table className="table data-table" aria-label={props.title}>
            <thead>
              <tr>
                <th scope="col">{props.name}</th>
                {(["calls", "inputTokens", "outputTokens", "amount"] as const).map((column) => (
                  <th key={column} scope="col" data-figure>
                    {t(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {props.lines.map(({ id, name, calls, inputTokens, outputTokens, amount }) => (
                <tr key={id}>
                  <th scope="row" className="wrap-anywhere">
                    {name}
                  </th>
                  <td data-figure data-label={t("calls")}>
                    {format.number(calls)}
                  </td>
                  <td data-figure data-label={t("inputTokens")}>
                    {format.number(inputTokens)}
                  </td>
                  <td data-figure data-label={t("outputTokens")}>
                    {format.number(outputTokens)}
                  </td>
                  <td data-figure data-place="aside">
                    <Money value={amount} />
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={4}>
                  {t("total")}
                </th>
                <td data-figure data-place="aside">
                  <Money value={props.total} />
                </td>
              </tr>
            </tfoot>
          </table>
        </ScrollRegion>
      </ColumnPlaces>
    </Stack>
  );
}

function Movements({ statement }: { statement: WholeStatement }) {
  const t = useTranslations("billing");
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("sheet.movements")}
      </Title>
      {statement.entries.length === 0 && <Text size="sm">{t("sheet.noMovements")}</Text>}
      {statement.entries.length > 0 && (
        <ScrollRegion className="table-scroll" label={t("sheet.movements")}>
          <table className="table data-table" aria-label={t("sheet.movements")}>
            <thead>
              <tr>
                <th scope="col">{t("kind")}</th>
                <th scope="col">{t("time")}</th>
                <th scope="col">{t("about")}</th>
                <th scope="col" data-figure>
                  {t("change")}
                </th>
              </tr>
            </thead>
            <tbody>
              <ColumnPlaces value={exactDecimals(statement.entries.map(({ change }) => change))}>
                {statement.entries.map(({ id, kind, createdAt, note, requestId, change }) => (
                  <tr key={id}>
                    <th scope="row">{t(`kinds.${kind}`)}</th>
                    <td data-place="bare">
                      <Timestamp at={createdAt} exact />
                    </td>
                    <td data-place="bare" className="wrap-anywhere">
                      {[note, requestId].filter(Boolean).join(" · ")}
                    </td>
                    <td data-figure data-place="aside">
                      <Money value={change} />
                    </td>
                  </tr>
                ))}
              </ColumnPlaces>
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {statement.isCut && <Text size="sm">{t("sheet.cut")}</Text>}
    </Stack>
  );
}

/** A monthly statement to print. `back`: a link to the previous page. */
export function StatementSheet({ statement, back }: { statement: WholeStatement; back: ReactNode }) {
  const t = useTranslations("billing");
  const { billingTimeZone: timeZone } = useInstallation();
  const last = new Date(Date.parse(statement.end) - 1);
  const span = useSpanOf()(new Date(statement.start), last, { dateStyle: "long", timeZone });
  const { models, keys, used, invoice } = statement;
  const period = useMonthName()(statement.period);
  const keyName = (id: string, key: WholeStatement["keys"][number]["key"]) =>
    key?.lastFour
      ? t("key", { name: key.name, lastFour: key.lastFour })
      : key?.name || id || t("sheet.noKey");
  return (
    <>
      <div className="no-print">{back}</div>
      <Stack gap="lg" className="sheet">
        <PageHeader
          title={invoice ? t("sheet.invoice.title", { period }) : t("statement", { period })}
          text={t("span", { span, zone: timeZone })}
          actions={
            <Button
              className="no-print"
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              onClick={() => window.print()}
            >
              {t("sheet.print")}
            </Button>
          }
        />
        <Parties statement={statement} />
        {statement.isUnderWay && <Text size="sm">{t("sheet.underWay")}</Text>}
        {invoice && <Invoice invoice={invoice} />}
        <Figures statement={statement} />
        <Lines
          title={t("byModel")}
          name={t("model")}
          total={used}
          lines={models.map((line) => ({ ...line, id: line.modelId, name: line.modelId || t("noModel") }))}
        />
        <Lines
          title={t("sheet.byKey")}
          name={t("sheet.key")}
          total={used}
          lines={keys.map(({ key, ...line }) => ({ ...line, name: keyName(line.id, key) }))}
        />
        {statement.isArchived && <Text size="sm">{t("entriesArchived")}</Text>}
        <Movements statement={statement} />
      </Stack>
    </>
  );
}
