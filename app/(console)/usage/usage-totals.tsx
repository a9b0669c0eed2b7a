import { useFormatter, useTranslations } from "use-intl";
import { ComparedFigures, type FigureComparison } from "../_components/charts/compared-figure";
import { Dimmed } from "../_components/tables/dimmed";
import { useInstallation } from "../_components/text/installation";
import { ShortMoney } from "../_components/text/money";
import { useNow } from "../_components/text/use-now";
import { useSpanOf } from "../_components/text/use-span-of";
import { CachedShare } from "./cached-share";
import type { UsageFigures } from "./usage-filter";

/** A span's totals, compared with the previous span. */
export function UsageTotals({ usage }: { usage: UsageFigures }) {
  const t = useTranslations("usage");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  const spanIn = useSpanOf();
  const now = useNow();
  const { total, start, end, before } = usage;
  const clock = (at: Date) =>
    format.dateTime(at, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
  /** Whole days without their hours: the last day is a moment before the end, and not after today. */
  const spanOf = (span: { start: string; end: string }): string => {
    const [from, until] = [new Date(span.start), new Date(span.end)];
    const areDays = clock(from) === "00:00" && clock(until) === "00:00";
    return spanIn(from, areDays ? new Date(Math.min(until.getTime() - 1, now)) : until, {
      dateStyle: "medium",
      ...(!areDays && { timeStyle: "short", hourCycle: "h23" }),
      timeZone,
    });
  };
  const totals = { now: total, before: total.before };
  const isCompared = total.before.calls > 0;
  const count = (id: "calls" | "inputTokens" | "outputTokens"): FigureComparison => ({
    id,
    name: t(id),
    sums: { now: total[id], before: total.before[id] },
    show: (when) => format.number(totals[when][id]),
  });
  const figures: FigureComparison[] = [
    {
      id: "amount",
      name: t("amount"),
      sums: { now: Number(total.amount), before: Number(total.before.amount) },
      show: (when) => <ShortMoney value={totals[when].amount} />,
    },
    count("calls"),
    count("inputTokens"),
    count("outputTokens"),
    {
      id: "cached",
      name: t("cachedShare"),
      show: (when) => <CachedShare counts={totals[when]} />,
    },
  ];
  return (
    <div>
      <ComparedFigures figures={figures} isCompared={isCompared} />
      <Dimmed>
        {t(isCompared ? "spans" : "spansNothing", {
          span: spanOf({ start, end }),
          before: spanOf(before),
          zone: timeZone,
        })}
      </Dimmed>
    </div>
  );
}
