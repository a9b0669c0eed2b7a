import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { useDuration } from "../../requests/use-duration";

const spans = ["day", "week"] as const;

/** How a model has performed for all accounts, with the number of requests behind each figure. */
export function ModelTraffic({ modelId }: { modelId: string }) {
  const t = useTranslations("models.traffic");
  const format = useFormatter();
  const duration = useDuration();
  const query = useQuery(useTRPC().prices.traffic.queryOptions({ id: modelId }));
  const { data } = query;
  const orTooFew = <T extends number>(value: T | null, format: (value: T) => string) =>
    value === null ? t("tooFewShort") : format(value);
  type Row = NonNullable<typeof data>["day"] & { id: (typeof spans)[number] };
  const columns: Column<Row>[] = [
    { id: "span", header: t("span"), isRowHeader: true, cell: ({ id }) => t(id) },
    { id: "requests", header: t("requests"), isFigure: true, cell: ({ calls }) => format.number(calls) },
    {
      id: "latency",
      header: t("latency"),
      isFigure: true,
      cell: ({ latencyMs }) => orTooFew(latencyMs, duration),
    },
    {
      id: "throughput",
      header: t("throughput"),
      isFigure: true,
      cell: ({ tokensPerSecond }) =>
        orTooFew(tokensPerSecond, (count) =>
          t("tokensPerSecond", { count: format.number(Math.round(count)) }),
        ),
    },
    {
      id: "uptime",
      header: t("uptime"),
      isFigure: true,
      cell: ({ uptime }) =>
        orTooFew(uptime, (share) =>
          format.number(share, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }),
        ),
    },
  ];
  return (
    <Card title={t("title")} text={t("note")}>
      {!data && <QueryState query={query} lines={2} />}
      {data && (
        <DataTable
          label={t("title")}
          columns={columns}
          rows={spans.map((id) => ({ id, ...data[id] }))}
          rowId={({ id }) => id}
        />
      )}
    </Card>
  );
}
