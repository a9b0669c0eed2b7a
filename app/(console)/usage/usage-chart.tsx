import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { ColorSwatch, Group, Paper, Stack, Text } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import type { Measure } from "../_components/spend-series";
import { useAmount } from "../_components/use-amount";
import type { Usage } from "./usage-filter";
import { useGroupName } from "./use-group-name";

/** At least 3:1 against both schemes' backgrounds; between two sections there is a line, too. */
const colors = ["indigo.6", "orange.8", "teal.7", "grape.6", "cyan.7", "pink.6"] as const;
const OTHERS = "gray.6";

const variable = (color: string) => `var(--mantine-color-${color.replace(".", "-")})`;

type Series = { name: string; label: string; color: string };
type Point = Usage["chart"]["series"][number]["points"][number];

/** To draw only: of an amount the last digits may get lost. */
const figureOf = ({ amount, calls, tokens }: Point, measure: Measure): number =>
  ({ cost: Number(amount), calls, tokens })[measure];

type Hovered = { label?: unknown; payload?: readonly { dataKey?: unknown; value?: unknown }[] };

/** What a column is made of, what there is most of first, and all of it. */
function ColumnCard(props: { hovered: Hovered; series: Series[]; show: (value: number) => string }) {
  const t = useTranslations("usage");
  const values = new Map(
    props.hovered.payload?.map(({ dataKey, value }) => [String(dataKey), Number(value)]),
  );
  const parts = props.series
    .map((one) => ({ ...one, value: values.get(one.name) ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((one, other) => other.value - one.value);
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

/** Its names wrap below the plot, each cut to one line, so that they never take its room. */
const Legend = ({ series }: { series: Series[] }) => (
  <Group component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
    {series.map(({ name, label, color }) => (
      <Group key={name} component="li" gap={6} wrap="nowrap" maw={220}>
        <ColorSwatch size={12} color={variable(color)} withShadow={false} />
        <Text size="xs" truncate title={label}>
          {label}
        </Text>
      </Group>
    ))}
  </Group>
);

type Props = { usage: Usage; measure: Measure; onChoose: (point: string) => void };

/** Fetched when there is something to draw: see `ChartCard`. */
export function UsageChart({ usage, measure, onChoose }: Props) {
  const t = useTranslations("usage");
  const overview = useTranslations("overview");
  const format = useFormatter();
  const amount = useAmount("short");
  const nameOf = useGroupName(usage);
  const { unit, points, series } = usage.chart;
  const show = (value: number) =>
    measure === "cost" ? amount(value.toFixed(9).replace(/\.?0+$/, "")) : format.number(value);
  const short = (point: string) => {
    if (unit === "month") {
      return point;
    }
    return unit === "hour"
      ? format.dateTime(new Date(`${point}:00:00Z`), {
          day: "numeric",
          hour: "2-digit",
          minute: "2-digit",
          hourCycle: "h23",
        })
      : format.dateTime(new Date(point), { timeZone: "UTC", month: "numeric", day: "numeric" });
  };
  // By their rank: a model's name may hold what the chart reads as a path.
  const drawn: Series[] = series.map(({ id }, rank) => ({
    name: `m${rank}`,
    label: nameOf(id),
    color: id === null ? OTHERS : (colors[rank] ?? OTHERS),
  }));
  const choose = ({ activeTooltipIndex }: { activeTooltipIndex?: unknown }) => {
    const point = points[Number(activeTooltipIndex ?? -1)];
    if (point !== undefined) {
      onChoose(point);
    }
  };
  return (
    <Stack gap="sm">
      <div role="img" aria-label={t("chartLabel", { measure: overview(`measures.${measure}`) })}>
        <BarChart
          h={260}
          type="stacked"
          dataKey="point"
          data={points.map((point, place) => ({
            point: short(point),
            ...Object.fromEntries(
              series.map((one, rank) => {
                const here = one.points[place];
                return [`m${rank}`, here ? figureOf(here, measure) : 0];
              }),
            ),
          }))}
          series={drawn}
          valueFormatter={show}
          maxBarWidth={36}
          tickLine="none"
          yAxisProps={{ width: 72 }}
          barProps={{ stroke: "var(--mantine-color-body)", strokeWidth: 1, isAnimationActive: false }}
          barChartProps={{ accessibilityLayer: false, onClick: choose, style: { cursor: "pointer" } }}
          // Half of the widest column, and some room: it stands beside what it tells of.
          tooltipProps={{
            offset: 26,
            content: (hovered) => <ColumnCard hovered={hovered} series={drawn} show={show} />,
          }}
        />
      </div>
      <Legend series={drawn} />
    </Stack>
  );
}
