import { Text } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { Card } from "../../_components/card";
import type { Account } from "../account";
import { limitNames } from "../limit-names";

/** What all keys of the account together may do. */
export function AccountLimits({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const format = useFormatter();
  return (
    <Card title={t("setLimits")}>
      <dl className="facts">
        {limitNames.map((name) => {
          const limit = account[name];
          return (
            <div key={name}>
              <Text component="dt" size="sm" c="dimmed">
                {t(name)}
              </Text>
              <Text component="dd" m={0} fw={600}>
                {limit === null ? t(`${name}Unset`) : format.number(limit)}
              </Text>
            </div>
          );
        })}
      </dl>
    </Card>
  );
}
