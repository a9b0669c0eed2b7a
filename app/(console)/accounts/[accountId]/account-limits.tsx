import { Paper, Stack, Text, Title } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import type { Account } from "../account";
import { limitNames } from "../limit-names";

/** What all keys of the account together may do. */
export function AccountLimits({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const format = useFormatter();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="limits">
      <Stack>
        <Title order={2} size="h4" id="limits">
          {t("setLimits")}
        </Title>
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
      </Stack>
    </Paper>
  );
}
