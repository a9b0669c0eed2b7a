import { SimpleGrid } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { ComparedFigure, type FigureComparison } from "../_components/charts/compared-figure";
import { Dimmed } from "../_components/tables/dimmed";
import { useInstallation } from "../_components/text/installation";
import { ShortMoney } from "../_components/text/money";
import { CachedShare } from "./cached-share";
import type { UsageFigures } from "./usage-filter";

/** A span's totals, compared with the previous span. */
export function UsageTotals({ usage }: { usage: UsageFigures }) {
  const t = useTranslations("usage");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  const { total, start, end, before } = usage;
  const moment = (at: string) =>
    format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "short", timeZone });
  const totals = { now: total, before: total.before };
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
    { id: "cached", name: t("cachedShare"), show: (when) => <CachedShare counts={totals[when]} /> },
  ];
  return (
    <div>
      <SimpleGrid spacing={{ base: "xs", sm: "md" }} cols={{ base: 2, lg: 5 }} component="dl" m={0} mb="xs">
        {figures.map((figure) => (
          <ComparedFigure key={figure.id} {...figure} />
        ))}
      </SimpleGrid>
      <Dimmed>
        {t("spans", {
          from: moment(start),
          until: moment(end),
          beforeFrom: moment(before.start),
          beforeUntil: moment(before.end),
          zone: timeZone,
        })}
      </Dimmed>
    </div>
  );
}
