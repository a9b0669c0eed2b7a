import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconCoinOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { LastsUntil } from "../_components/charts/lasts-until";
import { MonthFigures } from "../_components/charts/month-figures";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { Dimmed } from "../_components/tables/dimmed";
import { useInstallation } from "../_components/text/installation";
import { useAmount } from "../_components/text/use-amount";
import { useMomentOf } from "../_components/text/use-moment-of";
import { useMonthName } from "../_components/text/use-month-name";
import { useNow } from "../_components/text/use-now";
import type { OwnMonth } from "./overview";
import { Section } from "./section";

const DAY_MS = 86_400_000;

function Warning({ month }: { month: OwnMonth }) {
  const t = useTranslations("overview");
  const amount = useAmount();
  if (month.level === "enough") {
    return null;
  }
  return month.level === "low" ? (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title={t("lowTitle")}>
      {t("lowText", { available: amount(month.available) })}
    </Alert>
  ) : (
    <Alert color="red" icon={<IconCoinOff aria-hidden />} title={t("exhaustedTitle")}>
      {t("exhaustedText")}
    </Alert>
  );
}

function Reset({ at }: { at: string }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const now = useNow();
  const { billingTimeZone: zone } = useInstallation();
  const momentOf = useMomentOf(zone);
  const moment = new Date(at);
  // In days, not in weeks: the reader plans the money by days.
  const isFar = moment.getTime() - now > DAY_MS;
  return (
    <Dimmed>
      {t("resets", {
        moment: momentOf(at),
        zone,
        distance: format.relativeTime(moment, { now, ...(isFar && { unit: "day" as const }) }),
      })}
    </Dimmed>
  );
}

/** The current month: granted, used and available money. */
export function MonthCard() {
  const t = useTranslations("overview");
  const monthName = useMonthName();
  const query = useQuery(useTRPC().overview.month.queryOptions(undefined, { refetchInterval: FIGURES_MS }));
  const month = query.data;
  if (!month) {
    return <QueryState query={query} />;
  }
  return (
    <>
      <Warning month={month} />
      <Section title={monthName(month.period)}>
        <MonthFigures month={month} label={(figure) => t(figure)} />
        <div>
          <Reset at={month.resetsAt} />
          <LastsUntil at={month.lastsUntil} />
          <Dimmed>{t("frozenHint")}</Dimmed>
        </div>
      </Section>
    </>
  );
}
