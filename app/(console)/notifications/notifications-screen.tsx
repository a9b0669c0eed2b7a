"use client";

import { Stack, Title } from "@mantine/core";
import { IconWebhook } from "@tabler/icons-react";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { CreateButton } from "../_components/fields/create-button";
import { PageHeader } from "../_components/shell/page-header";
import { useMay, useSide } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { AlertCard } from "./alert-card";
import { useWebhooks } from "./use-webhooks";
import { WebhookCard } from "./webhook-card";

const CreateDialog = onDemand(() => import("./secret-dialogs").then((module) => module.CreateDialog));

/** The people and programs that are notified of events: an account's, or the operators'. */
export function NotificationsScreen() {
  const t = useTranslations("webhooks");
  const shell = useTranslations("shell");
  const whose = useSide() === "owner" ? "account" : "installation";
  const mayChange = useMay("notifications.write");
  const query = useWebhooks();
  const [isCreating, setCreating] = useQueryState(
    "create",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  const create = (
    <CreateButton to="notifications.write" onClick={() => void setCreating(true)}>
      {t("create")}
    </CreateButton>
  );
  return (
    <>
      <PageHeader title={shell("notifications")} text={t(`lead.${whose}`)} actions={create} />
      <AlertCard />
      <Title order={2} size="h4" mt="xl" mb="sm">
        {t("title")}
      </Title>
      {!query.data && <QueryState query={query} />}
      {query.data?.length === 0 && (
        <EmptyState
          icon={<IconWebhook size={32} />}
          title={t("emptyTitle")}
          text={t("emptyText")}
          doc="webhooks"
          action={create}
        />
      )}
      <Stack>
        {query.data?.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} />
        ))}
      </Stack>
      {isCreating && mayChange && (
        <CreateDialog onClose={() => void setCreating(null, { history: "replace" })} />
      )}
    </>
  );
}
