import { useRouter } from "next/navigation";
import { useFormatter, useTranslations } from "use-intl";
import { LazyColumns } from "../tables/lazy-columns";
import type { Measure, SpendSeries } from "./spend-series";

type Props = { series: SpendSeries; measure: Measure; hrefOf: (day: string) => string };

/** A column for each day, which links to that day. */
export function SpendChart({ series: { models, hasOthers, rows }, measure, hrefOf }: Props) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const router = useRouter();
  const parts = [
    ...models.map((modelId) => ({ label: modelId || t("noModelName"), isOthers: false })),
    ...(hasOthers ? [{ label: t("otherModels"), isOthers: true }] : []),
  ];
  return (
    <LazyColumns
      label={t("chartLabel", { measure: t(`measures.${measure}`) })}
      columns={rows.map(({ day }) =>
        format.dateTime(new Date(day), { timeZone: "UTC", month: "numeric", day: "numeric" }),
      )}
      series={parts.map((part, rank) => ({ ...part, values: rows.map(({ values }) => values[rank] ?? 0) }))}
      measure={measure}
      onChoose={(column) => {
        const row = rows[column];
        if (row) {
          router.push(hrefOf(row.day));
        }
      }}
    />
  );
}
