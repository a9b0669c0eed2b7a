import { useFormatter, useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { FigureList } from "../../_components/cards/figure-list";
import { CapBars } from "../../_components/charts/cap-bars";
import type { Account } from "../account";
import { limitNames } from "../limit-names";

/** The limits of all keys of the account together. */
export function AccountLimits({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const format = useFormatter();
  return (
    <Card title={t("setLimits")}>
      <FigureList
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
        ]}
      />
    </Card>
  );
}
