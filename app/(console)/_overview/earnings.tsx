import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Difference } from "../_components/tables/difference";
import { ShortMoney } from "../_components/text/money";
import { marginShare } from "../margin/margin-filter";
import { Share } from "../margin/share";
import type { Earnings } from "./overview";
import { Section } from "./section";

const spans = ["today", "month"] as const;
const rows = ["amount", "cost", "margin", "share"] as const;
type EarningsRow = (typeof rows)[number];
type Sums = Omit<Earnings["month"], "before">;

function Value({ row, sums }: { row: EarningsRow; sums: Sums }) {
  return row === "share" ? <Share value={marginShare(sums)} /> : <ShortMoney value={sums[row]} />;
}

function EarningsTable({ earnings }: { earnings: Earnings }) {
  const t = useTranslations("overview");
  const margin = useTranslations("margin");
  const amountOf = (row: EarningsRow, sums: Sums) => (row === "share" ? null : sums[row]);
  const columns: Column<EarningsRow>[] = [
    { id: "figure", header: t("earningsFigure"), isRowHeader: true, cell: (row) => margin(row) },
    ...spans.flatMap((span): Column<EarningsRow>[] => {
      const sums = earnings[span];
      return [
        {
          id: span,
          header: t(`earnings.${span}`),
          isFigure: true,
          amount: (row) => amountOf(row, sums),
          cell: (row) => <Value row={row} sums={sums} />,
        },
        {
          id: `${span}-before`,
          header: t(`earningsBefore.${span}`),
          isFigure: true,
          amount: (row) => amountOf(row, sums.before),
          cell: (row) => <Value row={row} sums={sums.before} />,
        },
        {
          id: `${span}-difference`,
          header: margin("difference"),
          isFigure: true,
          // Growth in per cent of a share would mislead.
          cell: (row) =>
            row === "share" ? "—" : <Difference now={Number(sums[row])} before={Number(sums.before[row])} />,
        },
      ];
    }),
  ];
  return <DataTable label={t("earningsTitle")} columns={columns} rows={[...rows]} rowId={(row) => row} />;
}

/** Charges, costs and margin of today and of this month, compared with the same part of yesterday and of last month. */
export function EarningsCard() {
  const t = useTranslations("overview");
  const shell = useTranslations("shell");
  const { data } = useQuery(useTRPC().overview.earnings.queryOptions({}, { refetchInterval: FIGURES_MS }));
  // If no channel has a cost price there is nothing to show; the Margin page says how to begin.
  if (!data || data.month.calls + data.month.before.calls === 0) {
    return null;
  }
  return (
    <Section
      title={t("earningsTitle")}
      text={t("earningsText")}
      link={{ href: addresses.margin(), text: shell("margin") }}
    >
      <EarningsTable earnings={data} />
    </Section>
  );
}
