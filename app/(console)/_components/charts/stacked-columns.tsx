import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { ColorSwatch, Group, Paper, Stack, Text } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { useAmount } from "../text/use-amount";
import { Legend, variable } from "./chart-legend";
import { ColumnBrush } from "./column-brush";
import { seriesColors } from "./series-colors";
import type { Measure } from "./spend-series";
import { type Drawn, useLegend } from "./use-legend";

type Hovered = { label?: unknown; payload?: readonly { dataKey?: unknown; value?: unknown }[] };

/** The parts of a column, the greatest first, and their sum. */
function ColumnCard(props: { hovered: Hovered; series: Drawn[]; show: (value: number) => string }) {
  const t = useTranslations("common");
  const values = new Map(
    props.hovered.payload?.map(({ dataKey, value }) => [String(dataKey), Number(value)]),
  );
  const parts = props.series
    .map((part) => ({ ...part, value: values.get(part.name) ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <Paper withBorder shadow="sm" p="xs" maw={280}>
      <Stack gap={4}>
        <Group justify="space-between" gap="md" wrap="nowrap">
          <Text size="sm" fw={650}>
            {String(props.hovered.label ?? "")}
          </Text>
          <Text size="sm" fw={650}>
            {t("columnTotal", { total: props.show(total) })}
          </Text>
        </Group>
        {parts.map(({ name, label, color, value }) => (
          <Group key={name} justify="space-between" gap="md" wrap="nowrap">
            <Group gap={6} wrap="nowrap" miw={0}>
              <ColorSwatch size={10} color={variable(color)} withShadow={false} />
              <Text size="xs" truncate>
                {label}
              </Text>
            </Group>
            <Text size="xs">{props.show(value)}</Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}

type Props = {
  /** Tells screen readers what is drawn and where its figures are. */
  label: string;
  /** The columns' names. */
  columns: string[];
  /** The parts of columns, the lowest first; `values` by column. */
  series: { label: string; isOthers: boolean; values: number[] }[];
  measure: Measure;
  /** Called with the indexes of the first and the last chosen column; both are the same if a column is clicked. */
  onChoose: (first: number, last: number) => void;
};

/**
 * A column for each point of time, stacked from parts; hovering shows the parts, a click or a drag chooses columns.
 * Fetched by `LazyColumns`.
 */
export function StackedColumns({ label, columns, series, measure, onChoose }: Props) {
  const t = useTranslations("common");
  const format = useFormatter();
  const amount = useAmount("short");
  const show = (value: number) =>
    measure === "cost" ? amount(value.toFixed(9).replace(/\.?0+$/, "")) : format.number(value);
  // Series are named by rank: the chart could read a model's name as a path.
  const colors = seriesColors(series);
  const drawn = series.map(
    ({ label: name }, rank): Drawn => ({ name: `m${rank}`, label: name, color: colors[rank] ?? "" }),
  );
  const { hidden, shown, toggle } = useLegend(drawn);
  /** The names and the sum of columns, without the hidden parts. */
  const textOf = (first: number, last: number) => {
    const sums = series
      .filter((_, rank) => !hidden.has(`m${rank}`))
      .map(({ values }) => values.slice(first, last + 1).reduce((sum, value) => sum + value, 0));
    return t(first === last ? "columnSum" : "columnsSum", {
      first: columns[first] ?? "",
      last: columns[last] ?? "",
      sum: show(sums.reduce((total, sum) => total + sum, 0)),
    });
  };
  return (
    <Stack gap="sm">
      <ColumnBrush count={columns.length} textOf={textOf} onChoose={onChoose}>
        <div role="img" aria-label={label}>
          <BarChart
            h={260}
            type="stacked"
            dataKey="column"
            data={columns.map((column, place) => ({
              column,
              ...Object.fromEntries(series.map(({ values }, rank) => [`m${rank}`, values[place] ?? 0])),
            }))}
            series={shown}
            valueFormatter={show}
            maxBarWidth={36}
            tickLine="none"
            xAxisProps={{ interval: "equidistantPreserveStart" }}
            // Each label next to its own line: otherwise the topmost is moved into the plot.
            yAxisProps={{ width: 72, interval: 0 }}
            barProps={{ stroke: "var(--mantine-color-body)", strokeWidth: 1, isAnimationActive: false }}
            barChartProps={{
              accessibilityLayer: false,
              margin: { top: 8 },
              style: { cursor: "pointer" },
            }}
            // Half of the widest column plus a margin: the tooltip stands next to its column.
            tooltipProps={{
              offset: 26,
              content: (hovered) => <ColumnCard hovered={hovered} series={shown} show={show} />,
            }}
          />
        </div>
      </ColumnBrush>
      <Legend drawn={drawn} hidden={hidden} onToggle={toggle} />
    </Stack>
  );
}
