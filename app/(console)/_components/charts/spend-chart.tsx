import { useRouter } from "next/navigation";
import { useFormatter, useTranslations } from "use-intl";
import { LazyColumns } from "../tables/lazy-columns";
import type { HrefOfDays, Measure, SpendSeries } from "./spend-series";

type Props = { series: SpendSeries; measure: Measure; hrefOf: HrefOfDays };

/** A column for each day. A chosen one leads to that day, several to all of them. */
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
      onChoose={(first, last) => {
        const [from, to] = [rows[first], rows[last]];
        if (from && to) {
          router.push(hrefOf({ from: from.day, to: to.day }));
        }
      }}
    />
  );
}
