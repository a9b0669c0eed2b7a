import { useFormatter, useTranslations } from "use-intl";
import { Dimmed } from "./dimmed";
import { useInstallation } from "./installation";

/** When a month's money is spent at the pace of late. `at`: ISO 8601; null: not before the month ends, which is said nowhere. */
export function LastsUntil({ at }: { at: string | null }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  if (at === null) {
    return null;
  }
  const when = format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "short", timeZone });
  return <Dimmed>{t("lastsUntil", { when })}</Dimmed>;
}
