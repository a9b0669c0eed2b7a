import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPCClient } from "../../_components/data/trpc";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { Difference } from "../../_components/tables/difference";
import { Dimmed } from "../../_components/tables/dimmed";
import { ShortMoney } from "../../_components/text/money";
import { useMonthName } from "../../_components/text/use-month-name";
import { FailureAlert } from "../../_forms/failure-alert";
import type { PriceCells, PriceEstimate } from "../catalog";

type EstimateRow = PriceEstimate["total"] & { modelId: string | null; calls: number | null };

function useColumns(): Column<EstimateRow>[] {
  const t = useTranslations("prices");
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: ({ modelId }) => <span className="wrap-anywhere">{modelId ?? t("estimateTotal")}</span>,
    },
    { id: "calls", header: t("estimateCalls"), isFigure: true, cell: ({ calls }) => calls },
    {
      id: "charged",
      header: t("estimateCharged"),
      isFigure: true,
      cell: ({ charged }) => <ShortMoney value={charged} />,
    },
    {
      id: "then",
      header: t("estimateThen"),
      isFigure: true,
      cell: ({ repriced }) => (
        <strong>
          <ShortMoney value={repriced} />
        </strong>
      ),
    },
    {
      id: "difference",
      header: t("gridDifference"),
      isFigure: true,
      cell: ({ charged, repriced }) => <Difference now={Number(repriced)} before={Number(charged)} />,
    },
  ];
}

/** The last month's charges at these prices. */
export function LastMonth({ cells, beginsAt }: { cells: PriceCells; beginsAt: string | null }) {
  const t = useTranslations("prices");
  const client = useTRPCClient();
  const input = { cells, ...(beginsAt && { beginsAt }) };
  // The input is too long for an address, so it is sent as a mutation.
  const query = useQuery({
    queryKey: ["prices", "estimate", input],
    queryFn: () => client.prices.estimate.mutate(input),
    retry: false,
  });
  const columns = useColumns();
  const monthName = useMonthName();
  if (!query.data) {
    return query.error ? (
      <FailureAlert error={null} problem={t("estimateFailed")} />
    ) : (
      <Skeleton height={80} />
    );
  }
  const { models, total } = query.data;
  const title = t("estimateTitle", { period: monthName(query.data.period) });
  const rows: EstimateRow[] = [
    ...models,
    ...(models.length > 1 ? [{ ...total, modelId: null, calls: null }] : []),
  ];
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {models.length > 0 ? (
        <DataTable label={title} columns={columns} rows={rows} rowId={({ modelId }) => modelId ?? ""} />
      ) : (
        <Text size="sm">{t("estimateNone")}</Text>
      )}
      {models.length > 0 && <Dimmed size="xs">{t("estimateHint")}</Dimmed>}
    </Stack>
  );
}
