import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { dayOf } from "@/server/domain/days";
import { useInstallation } from "../_components/text/installation";
import { ShortMoney } from "../_components/text/money";
import { useAmount } from "../_components/text/use-amount";
import { useNow } from "../_components/text/use-now";
import { spendToday } from "./spend-today";

type Props = {
  /** The charges of the last 30 days by day, in decimal currency units. */
  days: readonly { day: string; amount: string }[];
  /** The page with today's charges. `today`: YYYY-MM-DD. */
  hrefOf: (today: string) => string;
};

/** The overview's large figure: today's spend, and the spend of an average day. */
export function SpendToday({ days, hrefOf }: Props) {
  const t = useTranslations("overview");
  const amount = useAmount("short");
  const { billingTimeZone: zone } = useInstallation();
  const today = dayOf(useNow(), zone);
  const spend = spendToday(days, today);
  return (
    <dl className="headline">
      <Text component="dt" size="sm">
        <Anchor component={Link} href={hrefOf(today)} inherit>
          {t("statToday")}
        </Anchor>
      </Text>
      <dd className="headline-figure" data-figure>
        <ShortMoney value={spend.amount} />
      </dd>
      <Text component="dd" size="sm" c="dimmed">
        {spend.averageDay === null
          ? t("statTodayHint", { zone })
          : t("averageDay", { amount: amount(spend.averageDay) })}
      </Text>
    </dl>
  );
}
