import { VisuallyHidden } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { SparkSpan } from "@/server/domain/enums";
import { useAmount } from "../_components/text/use-amount";
import type { KeyRow } from "./key";

const [WIDTH, HEIGHT, STROKE] = [96, 24, 1.5];

/** The points of a line through these shares of its height, from left to right. */
const cornersOf = (shares: number[]): string =>
  shares
    .map((share, place) => {
      const x = STROKE + (place * (WIDTH - 2 * STROKE)) / Math.max(1, shares.length - 1);
      const y = HEIGHT - STROKE - share * (HEIGHT - 2 * STROKE);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");

/** A key's recent spend as a line; its label is the sum. */
export function Spark({ spark, span }: { spark: KeyRow["spark"]; span: SparkSpan }) {
  const t = useTranslations("keys");
  const amount = useAmount("short");
  if (spark === null) {
    return (
      <>
        <span aria-hidden>—</span>
        <VisuallyHidden>{t("sparkNone", { span })}</VisuallyHidden>
      </>
    );
  }
  const label = t("sparkLabel", { span, amount: amount(spark.amount) });
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline
        points={cornersOf(spark.shares)}
        fill="none"
        stroke="var(--mantine-color-anchor)"
        strokeWidth={STROKE}
        strokeLinejoin="round"
      />
    </svg>
  );
}
