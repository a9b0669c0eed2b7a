import { Badge, Button, Group, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCircleCheck, IconCircleOff } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { useMay } from "../_components/shell/viewer";
import { Dimmed } from "../_components/tables/dimmed";
import { StatusBadge } from "../_components/tables/status-badge";
import { Timestamp } from "../_components/text/timestamp";
import { ConfirmByName } from "../_forms/confirm-by-name";
import { DeliveryTable } from "./delivery-table";
import { useRemoveWebhook, useTestWebhook, useUpdateWebhook } from "./use-webhooks";
import type { WebhookRow } from "./webhook";

const RotateDialog = onDemand(() => import("./secret-dialogs").then((module) => module.RotateDialog));

function Remove({ webhook, onClose }: { webhook: WebhookRow; onClose: () => void }) {
  const t = useTranslations("webhooks");
  const { mutate, isPending } = useRemoveWebhook(() => {
    onClose();
    // The card disappears, and its button with it.
    document.getElementById("content")?.focus();
  });
  return (
    <ConfirmByName
      title={t("removeTitle")}
      name={new URL(webhook.url).host}
      action={t("removeAction")}
      isBusy={isPending}
      onConfirm={() => mutate({ webhookId: webhook.id })}
      onClose={onClose}
    >
      {t("removeText")}
    </ConfirmByName>
  );
}

type PendingAction = "rotate" | "remove" | null;

function Actions({ webhook, onAsk }: { webhook: WebhookRow; onAsk: (action: PendingAction) => void }) {
  const t = useTranslations("webhooks");
  const { id: webhookId, status } = webhook;
  const update = useUpdateWebhook();
  const test = useTestWebhook(() => notifications.show({ message: t("testSent"), role: "status" }));
  const isActive = status === "active";
  const small = { size: "xs", variant: "default" } as const;
  return (
    <Group gap="xs">
      <Button
        {...small}
        loading={test.isPending}
        disabled={!isActive}
        onClick={() => test.mutate({ webhookId })}
      >
        {t("test")}
      </Button>
      <Button {...small} onClick={() => onAsk("rotate")}>
        {t("rotate")}
      </Button>
      <Button
        {...small}
        loading={update.isPending}
        onClick={() => update.mutate({ webhookId, status: isActive ? "disabled" : "active" })}
      >
        {t(isActive ? "disable" : "enable")}
      </Button>
      <Button {...small} onClick={() => onAsk("remove")}>
        {t("remove")}
      </Button>
    </Group>
  );
}

/** A webhook, its events and its deliveries. */
export function WebhookCard({ webhook }: { webhook: WebhookRow }) {
  const t = useTranslations("webhooks");
  const mayChange = useMay("notifications.write");
  const [pendingAction, setPendingAction] = useState<PendingAction>(null);
  const { id, url, events, status, createdAt, oldUntil } = webhook;
  const isActive = status === "active";
  return (
    <Card
      title={new URL(url).host}
      aside={mayChange && <Actions webhook={webhook} onAsk={setPendingAction} />}
    >
      <Stack gap="xs">
        <Group gap="xs">
          <StatusBadge tone={isActive ? "good" : "quiet"} icon={isActive ? IconCircleCheck : IconCircleOff}>
            {t(status)}
          </StatusBadge>
          {events.map((event) => (
            <Badge key={event} variant="default" tt="none">
              {event}
            </Badge>
          ))}
        </Group>
        <span className="wrap-anywhere">{url}</span>
        <Dimmed>
          {t("created")} <Timestamp at={createdAt} short />
          {oldUntil !== null && Date.parse(oldUntil) > Date.now() && (
            <>
              {" · "}
              {t("oldUntil")} <Timestamp at={oldUntil} />
            </>
          )}
        </Dimmed>
        <DeliveryTable webhookId={id} />
      </Stack>
      {pendingAction === "rotate" && (
        <RotateDialog webhook={webhook} onClose={() => setPendingAction(null)} />
      )}
      {pendingAction === "remove" && <Remove webhook={webhook} onClose={() => setPendingAction(null)} />}
    </Card>
  );
}
