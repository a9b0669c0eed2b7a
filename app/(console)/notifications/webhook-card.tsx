import { Badge, Button, Group, Stack, Text } from "@mantine/core";
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
import { DeliveryTable } from "./delivery-table";
import { useTestWebhook, useUpdateWebhook } from "./use-webhooks";
import type { WebhookRow } from "./webhook";

const RemoveWebhook = onDemand(() => import("./remove-webhook").then((module) => module.RemoveWebhook));
const RotateDialog = onDemand(() => import("./secret-dialogs").then((module) => module.RotateDialog));

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
        <Text size="sm" className="wrap-anywhere">
          {url}
        </Text>
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
      {pendingAction === "remove" && (
        <RemoveWebhook webhook={webhook} onClose={() => setPendingAction(null)} />
      )}
    </Card>
  );
}
