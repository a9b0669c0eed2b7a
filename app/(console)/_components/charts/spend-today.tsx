import { Anchor } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { dayOf } from "@/server/domain/days";
import { LargeFigure } from "../cards/large-figure";
import { useInstallation } from "../text/installation";
import { ShortMoney } from "../text/money";
import { useAmount } from "../text/use-amount";
import { useNow } from "../text/use-now";
import { todayAndAverage } from "./today-and-average";

type Props = {
  /** The charges of the last 30 days by day, in decimal currency units. */
  days: readonly { day: string; amount: string }[];
  /** The page with today's charges. `today`: YYYY-MM-DD. */
  hrefOf: (today: string) => string;
};

/** A page's large figure: today's spend, and the spend of an average day. */
export function SpendToday({ days, hrefOf }: Props) {
  const t = useTranslations("overview");
  const amount = useAmount("short");
  const { billingTimeZone: zone } = useInstallation();
  const today = dayOf(useNow(), zone);
  const spend = todayAndAverage(days, today);
  return (
    <LargeFigure
      name={
        <Anchor component={Link} href={hrefOf(today)} inherit>
          {t("statToday")}
        </Anchor>
      }
      hint={
        spend.averageDay === null
          ? t("statTodayHint", { zone })
          : t("averageDay", { amount: amount(spend.averageDay) })
      }
    >
      <ShortMoney value={spend.amount} />
    </LargeFigure>
  );
}
