import { Alert, Anchor, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../_components/cards/card";
import { FigureList } from "../_components/cards/figure-list";
import { ComingChart } from "../_components/charts/coming-chart";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Timestamp } from "../_components/text/timestamp";
import { useDuration } from "../requests/use-duration";
import { useOutcome } from "../requests/use-outcome";
import type { ChannelReport } from "./channel";

const REFRESH_MS = 30_000;
const spans = ["hour", "day", "week"] as const;

const ReportChart = onDemand(
  () => import("./report-chart").then((module) => module.ReportChart),
  () => <ComingChart height={200} />,
);

function Figures({ report }: { report: ChannelReport }) {
  const t = useTranslations("channels");
  const format = useFormatter();
  const duration = useDuration();
  const counted = report.ok + report.failed;
  const times = (pair: ChannelReport["headMs"]) =>
    pair ? t("p50p95", { p50: duration(pair.p50), p95: duration(pair.p95) }) : "—";
  return (
    <FigureList
      figures={[
        { id: "attempts", name: t("attempts"), value: format.number(report.attempts) },
        {
          id: "rate",
          name: t("successRate"),
          value:
            counted === 0
              ? "—"
              : format.number(report.ok / counted, {
                  style: "percent",
                  minimumFractionDigits: 1,
                  maximumFractionDigits: 1,
                }),
        },
        { id: "first", name: t("firstToken"), value: times(report.firstMs) },
        { id: "elapsed", name: t("duration"), value: times(report.elapsedMs) },
      ]}
    />
  );
}

function Faults({ faults }: Pick<ChannelReport, "faults">) {
  const t = useTranslations("channels");
  const outcome = useOutcome();
  const columns: Column<ChannelReport["faults"][number]>[] = [
    {
      id: "fault",
      header: t("faultKind"),
      isRowHeader: true,
      cell: (fault) => (
        <Stack gap={0}>
          {outcome(fault.outcome)}
          {fault.status !== null && ` · HTTP ${fault.status}`}
          {fault.words && (
            <Text size="xs" c="dimmed" className="wrap-anywhere">
              {fault.words}
            </Text>
          )}
        </Stack>
      ),
    },
    { id: "count", header: t("times"), isFigure: true, cell: ({ count }) => count },
    { id: "last", header: t("lastTime"), cell: ({ lastAt }) => <Timestamp at={lastAt} /> },
  ];
  return (
    <DataTable
      label={t("faults")}
      columns={columns}
      rows={faults}
      rowId={({ outcome: kind, status, words }) => `${kind} ${status} ${words}`}
    />
  );
}

function AffectedAccounts({ accounts, channelId }: Pick<ChannelReport, "accounts"> & { channelId: string }) {
  const t = useTranslations("channels");
  const columns: Column<ChannelReport["accounts"][number]>[] = [
    {
      id: "account",
      header: t("touchedAccount"),
      isRowHeader: true,
      cell: ({ account }) => (
        <Anchor
          component={Link}
          href={addresses.allRequests({ account: account.id, channel: channelId })}
          inherit
          underline="always"
        >
          {account.name || account.id}
        </Anchor>
      ),
    },
    { id: "failed", header: t("failedAttempts"), isFigure: true, cell: ({ failed }) => failed },
    { id: "attempts", header: t("attempts"), isFigure: true, cell: ({ attempts }) => attempts },
  ];
  return (
    <DataTable label={t("touched")} columns={columns} rows={accounts} rowId={({ account }) => account.id} />
  );
}

/** A channel's results of the last hour, day or week, from the records of all replicas. */
export function ReportCard({ channelId }: { channelId: string }) {
  const t = useTranslations("channels");
  const [span, setSpan] = useQueryState("span", parseAsStringLiteral(spans).withDefault("day"));
  const query = useQuery(
    useTRPC().channels.health.queryOptions({ channelId, span }, { refetchInterval: REFRESH_MS }),
  );
  const report = query.data;
  return (
    <Card
      title={t("report")}
      text={t("reportNote")}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t("span")}
          value={span}
          onChange={(chosen) => void setSpan(chosen)}
          data={spans.map((value) => ({ value, label: t(`spans.${value}`) }))}
        />
      }
    >
      {!report && <QueryState query={query} lines={4} />}
      {report?.attempts === 0 && <Text size="sm">{t("reportEmpty")}</Text>}
      {report && report.attempts > 0 && (
        <>
          {report.failingSince !== null && (
            <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("failingTitle")}>
              {t("failingSince")} <Timestamp at={report.failingSince} exact />
            </Alert>
          )}
          <Figures report={report} />
          <ReportChart report={report} channelId={channelId} />
          {report.isPartial && <Text size="xs">{t("reportPartial")}</Text>}
          {report.faults.length > 0 && <Faults faults={report.faults} />}
          {report.accounts.length > 0 && (
            <AffectedAccounts accounts={report.accounts} channelId={channelId} />
          )}
        </>
      )}
    </Card>
  );
}
