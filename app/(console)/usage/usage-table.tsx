import { Anchor, Group, Progress } from "@mantine/core";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { growth } from "../_components/charts/growth";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Difference } from "../_components/tables/difference";
import type { SortValue } from "../_components/tables/sorted";
import { ShortMoney } from "../_components/text/money";
import { CachedShare, cachedShareOf } from "./cached-share";
import { callsOf, type UsageFigures, type UsageRow, type UsageSide } from "./usage-filter";
import { useGroupName } from "./use-group-name";

type Props = { side: UsageSide; usage: UsageFigures; account: string | null };
type UsageTableRow = Omit<UsageRow, "id"> & { id: string | null };

/** The row of all others stays at the end. */
const ofRow =
  (comparedBy: (row: UsageTableRow) => SortValue) =>
  (row: UsageTableRow): SortValue =>
    row.id === null ? null : comparedBy(row);

function Share({ part, whole }: { part: number; whole: number }) {
  const format = useFormatter();
  const share = whole > 0 ? part / whole : 0;
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Progress.Root size="sm" w={64} aria-hidden>
        <Progress.Section value={share * 100} color="brand" withAria={false} />
      </Progress.Root>
      {format.number(share, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 })}
    </Group>
  );
}

/**
 * The columns of figures. `whole`: the sum of all groups, for shares. `isCompared`: there was something in the previous
 * span.
 */
function useFigures({ whole, isCompared }: { whole: number; isCompared: boolean }): Column<UsageTableRow>[] {
  const t = useTranslations("usage");
  const format = useFormatter();
  const count = (id: "calls" | "inputTokens" | "outputTokens"): Column<UsageTableRow> => ({
    id,
    header: t(id),
    isFigure: true,
    // Without a comparison there is room.
    ...(id !== "calls" && isCompared && { from: "wide" as const }),
    value: ofRow((row) => row[id]),
    cell: (row) => format.number(row[id]),
  });
  const comparison: Column<UsageTableRow>[] = [
    {
      id: "before",
      header: t("before"),
      amount: ({ before }) => before.amount,
      from: "medium",
      onPhone: "hidden",
      isFigure: true,
      value: ofRow((row) => Number(row.before.amount)),
      cell: (row) => <ShortMoney value={row.before.amount} />,
    },
    {
      id: "difference",
      header: t("difference"),
      isFigure: true,
      value: ofRow((row) => growth(Number(row.amount), Number(row.before.amount))),
      cell: (row) => <Difference now={Number(row.amount)} before={Number(row.before.amount)} />,
    },
  ];
  return [
    {
      id: "amount",
      header: t("amount"),
      amount: ({ amount }) => amount,
      isFigure: true,
      onPhone: "aside",
      value: ofRow((row) => Number(row.amount)),
      cell: (row) => <ShortMoney value={row.amount} />,
    },
    {
      id: "share",
      header: t("share"),
      from: "medium",
      onPhone: "bare",
      isFigure: true,
      cell: (row) => <Share part={Number(row.amount)} whole={whole} />,
    },
    ...(isCompared ? comparison : []),
    count("calls"),
    count("inputTokens"),
    {
      id: "cached",
      header: t("cachedShare"),
      from: "wide",
      isFigure: true,
      value: ofRow(cachedShareOf),
      cell: (row) => <CachedShare counts={row} />,
    },
    count("outputTokens"),
  ];
}

/** Groups by charges, the highest first; each links to its calls. */
export function UsageTable({ side, usage, account }: Props) {
  const t = useTranslations("usage");
  const nameOf = useGroupName(usage);
  const { by, total, start, end } = usage;
  const within = { from: start, until: end };
  const columns: Column<UsageTableRow>[] = [
    {
      id: "name",
      header: t(`groups.${by}`),
      isRowHeader: true,
      value: ofRow(({ id }) => nameOf(id)),
      cell: ({ id }) =>
        id === null || id === "" ? (
          nameOf(id)
        ) : (
          <Anchor
            component={Link}
            href={callsOf({ side, by, account }, id, within)}
            size="sm"
            className="wrap-anywhere"
          >
            {nameOf(id)}
          </Anchor>
        ),
    },
    ...useFigures({ whole: Number(total.amount), isCompared: total.before.calls > 0 }),
  ];
  const rows: UsageTableRow[] = [
    ...usage.rows,
    ...(usage.others ? [{ ...usage.others, id: null, name: "" }] : []),
  ];
  return (
    <DataTable
      label={t(`groups.${by}`)}
      columns={columns}
      rows={rows}
      rowId={({ id }) => (id === null ? "others" : `id ${id}`)}
    />
  );
}
