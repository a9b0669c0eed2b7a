import { useFormatter, useTranslations } from "use-intl";
import { Dimmed } from "../tables/dimmed";
import { useInstallation } from "../text/installation";
import { useMomentOf } from "../text/use-moment-of";

/**
 * The moment when a month's money runs out at the recent rate. `at`: ISO 8601; null: not before the month ends, and
 * nothing is shown. `short`: only the day, and the rest on hover.
 */
export function LastsUntil({ at, short = false }: { at: string | null; short?: boolean }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  const momentOf = useMomentOf(timeZone);
  if (at === null) {
    return null;
  }
  const when = momentOf(at);
  const whole = t("lastsUntil", { when });
  if (!short) {
    return <Dimmed>{whole}</Dimmed>;
  }
  const day = format.dateTime(new Date(at), { month: "short", day: "numeric", timeZone });
  return (
    <Dimmed size="xs">
      <span title={whole}>{t("lastsUntilDay", { day })}</span>
    </Dimmed>
  );
}
