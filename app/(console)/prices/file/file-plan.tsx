import { Alert, List } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { Dimmed } from "../../_components/tables/dimmed";
import { TwoLines } from "../../_components/tables/two-lines";
import { Money } from "../../_components/text/money";
import { Timestamp } from "../../_components/text/timestamp";
import type { FilePlan as Plan } from "../catalog";
import { usePriceName } from "../use-price-name";

/** Further rows are only counted: more would not be read. */
const ROWS = 200;

type PlanChange = Plan["changes"][number];

function useColumns(): Column<PlanChange>[] {
  const t = useTranslations("prices");
  const nameOf = usePriceName();
  const shown = (price: string | null) => (price === null ? t("gridNoPrice") : <Money value={price} />);
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: ({ modelId, name }) => (
        <TwoLines below={nameOf(name)}>
          <span className="wrap-anywhere">{modelId}</span>
        </TwoLines>
      ),
    },
    {
      id: "from",
      header: t("historyFrom"),
      cell: ({ beginsAt }) => (beginsAt ? <Timestamp at={beginsAt} exact /> : t("gridAtOnce")),
    },
    { id: "before", header: t("fileBefore"), isFigure: true, cell: ({ before }) => shown(before) },
    {
      id: "after",
      header: t("gridPrice"),
      isFigure: true,
      cell: ({ after }) => <strong>{shown(after)}</strong>,
    },
    { id: "line", header: t("fileLine"), isFigure: true, cell: ({ line }) => line },
  ];
}

/** The changes that a file would make, or every line with an error. */
export function FilePlan({ plan: { changes, unchanged, problems } }: { plan: Plan }) {
  const t = useTranslations("prices");
  const columns = useColumns();
  return (
    <>
      {problems.length > 0 && (
        <Alert
          color="red"
          role="alert"
          icon={<IconAlertTriangle aria-hidden />}
          title={t("fileProblems", { count: problems.length })}
        >
          <List size="sm">
            {problems.slice(0, ROWS).map(({ line, problem, value }) => (
              <List.Item key={`${line} ${problem}`} className="wrap-anywhere">
                {t("fileProblemLine", { line, problem: t(`fileProblem.${problem}`, { value }) })}
              </List.Item>
            ))}
          </List>
          {problems.length > ROWS && t("gridMore", { count: problems.length - ROWS })}
        </Alert>
      )}
      <Card title={t("fileChanges", { count: changes.length })}>
        {changes.length > 0 && (
          <DataTable
            label={t("fileChanges", { count: changes.length })}
            columns={columns}
            rows={changes.slice(0, ROWS)}
            rowId={({ line }) => String(line)}
          />
        )}
        {changes.length > ROWS && <Dimmed>{t("gridMore", { count: changes.length - ROWS })}</Dimmed>}
        <Dimmed>{t("fileUnchanged", { count: unchanged })}</Dimmed>
      </Card>
    </>
  );
}
