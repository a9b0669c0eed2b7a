import { Anchor, Group } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../../_components/cards/card";
import { LastsUntil } from "../../_components/charts/lasts-until";
import { MonthFigures } from "../../_components/charts/month-figures";
import { useMay } from "../../_components/shell/viewer";
import { Dimmed } from "../../_components/tables/dimmed";
import { useInstallation } from "../../_components/text/installation";
import { useAmount } from "../../_components/text/use-amount";
import { useMomentOf } from "../../_components/text/use-moment-of";
import { useMonthName } from "../../_components/text/use-month-name";
import type { Account } from "../account";

function Links({ accountId }: { accountId: string }) {
  const t = useTranslations("accounts");
  const { payments } = useInstallation();
  const seesChanges = useMay("audit.read");
  const links = [
    ["statement", addresses.accountStatement(accountId)],
    ["requests", addresses.allRequests({ account: accountId })],
    ["tasks", addresses.allVideos({ account: accountId })],
    ...(seesChanges ? ([["changes", addresses.audit({ account: accountId })]] as const) : []),
    ...(payments ? ([["payments", addresses.payments({ account: accountId })]] as const) : []),
  ] as const;
  return (
    <Group gap="md" component="nav" aria-label={t("linksTitle")}>
      {links.map(([link, href]) => (
        <Anchor key={link} component={Link} href={href} size="sm">
          {t(link)}
        </Anchor>
      ))}
    </Group>
  );
}

/** The current month: granted, used and available money. */
export function AccountMonth({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const amount = useAmount();
  const monthName = useMonthName();
  const { billingTimeZone } = useInstallation();
  const { month, apart, quota } = account;
  const reset = useMomentOf(billingTimeZone)(account.resetsAt);
  return (
    <Card title={monthName(month.period)} aside={<Links accountId={account.id} />}>
      <MonthFigures month={{ ...month, ...apart }} label={(figure) => t(figure)} />
      <LastsUntil at={account.lastsUntil} />
      <Dimmed>{t("resets", { reset, zone: billingTimeZone, amount: amount(quota) })}</Dimmed>
    </Card>
  );
}
