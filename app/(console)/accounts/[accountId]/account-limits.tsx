import { useFormatter, useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { FigureList } from "../../_components/cards/figure-list";
import { CapBars } from "../../_components/charts/cap-bars";
import { useAmount } from "../../_components/text/use-amount";
import type { Account } from "../account";
import { limitNames } from "../limit-names";

/** The limits of all keys of the account together. */
export function AccountLimits({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const format = useFormatter();
  const amount = useAmount();
  return (
    <Card title={t("setLimits")}>
      <FigureList
        rows="five"
        figures={[
          ...limitNames.map((id) => {
            const limit = account[id];
            return { id, name: t(id), value: limit === null ? t(`${id}Unset`) : format.number(limit) };
          }),
          {
            id: "dailyLimit",
            name: t("dailyLimit"),
            value: account.dailyUse === null ? t("dailyLimitUnset") : <CapBars caps={[account.dailyUse]} />,
          },
          {
            id: "outageAllowance",
            name: t("outageAllowance"),
            value:
              account.outageAllowance === null ? t("outageAllowanceUnset") : amount(account.outageAllowance),
          },
        ]}
      />
    </Card>
  );
}
