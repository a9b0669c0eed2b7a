"use client";

import { Alert, Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { may } from "@/server/domain/roles";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { FIGURES_MS } from "../../_components/data/refresh";
import { useTRPC } from "../../_components/data/trpc";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { Permitted, useViewer } from "../../_components/shell/viewer";
import { CopyButton } from "../../_components/snippets/copy-button";
import type { Account } from "../account";
import { AccountStatus } from "../account-status";
import { AccountCarryOver } from "./account-carry-over";
import { AccountKeys } from "./account-keys";
import { AccountLimits } from "./account-limits";
import { AccountMonth } from "./account-month";
import { AccountPriceGroup } from "./account-price-group";
import { AccountResponses } from "./account-responses";
import { AccountUsers } from "./account-users";
import { changes, needs } from "./changes";
import { EarlierMonths } from "./earlier-months";

const AccountDialog = onDemand(() => import("./account-dialog").then((module) => module.AccountDialog));

function Loaded({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const [change, setChange] = useQueryState("change", parseAsStringLiteral(changes));
  const { role } = useViewer();
  const isActive = account.status === "active";
  return (
    <>
      <PageHeader
        title={
          <Group gap="sm">
            <span className="wrap-anywhere">{account.name}</span>
            <AccountStatus status={account.status} />
          </Group>
        }
        text={
          <Group gap={4} component="span">
            <Text component="span" size="sm" ff="monospace" className="wrap-anywhere">
              {account.id}
            </Text>
            <CopyButton value={account.id} label={t("copyId")} />
          </Group>
        }
        actions={
          <>
            <Permitted to="money.write">
              <Button onClick={() => void setChange("top-up")}>{t("topUp")}</Button>
              <Button variant="default" onClick={() => void setChange("adjust")}>
                {t("adjust")}
              </Button>
              <Button variant="default" onClick={() => void setChange("quota")}>
                {t("setQuota")}
              </Button>
            </Permitted>
            <Permitted to="accounts.write">
              <Button variant="default" onClick={() => void setChange("limits")}>
                {t("setLimits")}
              </Button>
              <Button variant="default" onClick={() => void setChange("rename")}>
                {t("rename")}
              </Button>
            </Permitted>
            <Permitted to="accounts.switch">
              <Button
                variant="default"
                {...(isActive && { c: "red" })}
                onClick={() => void setChange(isActive ? "disable" : "enable")}
              >
                {isActive ? t("disable") : t("enable")}
              </Button>
            </Permitted>
            {!isActive && (
              <Permitted to="accounts.write">
                <Button variant="default" c="red" onClick={() => void setChange("erase")}>
                  {t("erase")}
                </Button>
              </Permitted>
            )}
          </>
        }
      />
      <Stack gap="lg">
        {!isActive && (
          <Alert color="red" icon={<IconBan aria-hidden />}>
            {t("disabledBanner")}
          </Alert>
        )}
        <AccountMonth account={account} />
        <AccountLimits account={account} />
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          <AccountCarryOver account={account} />
          <AccountPriceGroup account={account} />
          <AccountResponses account={account} />
        </SimpleGrid>
        {may(role, "people.read") && <AccountUsers accountId={account.id} />}
        <AccountKeys accountId={account.id} />
        <EarlierMonths account={account} />
      </Stack>
      {change && may(role, needs[change]) && (
        <AccountDialog account={account} change={change} onClose={() => void setChange(null)} />
      )}
    </>
  );
}

/** Everything that an operator can see of one account and change. */
export function AccountScreen({ accountId }: { accountId: string }) {
  const t = useTranslations("accounts");
  const shell = useTranslations("shell");
  const query = useQuery(useTRPC().accounts.get.queryOptions({ accountId }, { refetchInterval: FIGURES_MS }));
  return (
    <>
      <BackLink href={addresses.accounts()}>{t("backToList")}</BackLink>
      {query.data ? (
        <Loaded account={query.data} />
      ) : (
        <>
          <PageHeader title={shell("accounts")} />
          <QueryState query={query} lines={10} />
        </>
      )}
    </>
  );
}
