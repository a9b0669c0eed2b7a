import { useFormatter, useTranslations } from "use-intl";
import { Dimmed } from "../tables/dimmed";
import { useInstallation } from "../text/installation";

/**
 * The moment when a month's money runs out at the recent rate. `at`: ISO 8601; null: not before the month ends, and
 * nothing is shown. `short`: only the day, and the rest on hover.
 */
export function LastsUntil({ at, short = false }: { at: string | null; short?: boolean }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  if (at === null) {
    return null;
  }
  const moment = new Date(at);
  const when = format.dateTime(moment, { dateStyle: "medium", timeStyle: "short", timeZone });
  const whole = t("lastsUntil", { when });
  if (!short) {
    return <Dimmed>{whole}</Dimmed>;
  }
  const day = format.dateTime(moment, { month: "short", day: "numeric", timeZone });
  return (
    <Dimmed size="xs">
      <span title={whole}>{t("lastsUntilDay", { day })}</span>
    </Dimmed>
  );
}
