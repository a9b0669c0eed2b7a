import { Anchor, Group } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../../_components/cards/card";
import { LargeFigure } from "../../_components/cards/large-figure";
import { displayedAvailable } from "../../_components/charts/available-amount";
import { LastsUntil } from "../../_components/charts/lasts-until";
import { QuotaBar } from "../../_components/charts/quota-bar";
import { useMay } from "../../_components/shell/viewer";
import { Dimmed } from "../../_components/tables/dimmed";
import { useInstallation } from "../../_components/text/installation";
import { ShortMoney } from "../../_components/text/money";
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

const terms = [
  ["quota", ""],
  ["topups", "+ "],
  ["refunds", "+ "],
  ["used", "− "],
  ["frozen", "− "],
] as const;

/** How the available money comes about, as a sum on one line. A term that is zero is left out, but not the first. */
function Sum({ account: { month, apart } }: { account: Account }) {
  const t = useTranslations("accounts");
  const amounts = { ...month, ...apart };
  return terms
    .filter(([id]) => id === "quota" || Number(amounts[id]) !== 0)
    .map(([id, sign]) => (
      <span key={id} className="sum-term">
        {`${sign}${t(id)} `}
        <ShortMoney value={amounts[id]} decimals={2} />
      </span>
    ));
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
      <LargeFigure name={t("available")} hint={<Sum account={account} />}>
        <ShortMoney value={displayedAvailable({ ...month, ...apart })} exact={month.available} decimals={2} />
      </LargeFigure>
      <QuotaBar month={{ ...month, ...apart }} size="lg" />
      <LastsUntil at={account.lastsUntil} />
      <Dimmed>{t("resets", { reset, zone: billingTimeZone, amount: amount(quota) })}</Dimmed>
    </Card>
  );
}
