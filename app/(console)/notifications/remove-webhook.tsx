import { useTranslations } from "use-intl";
import { ConfirmByName } from "../_forms/confirm-by-name";
import { useRemoveWebhook } from "./use-webhooks";
import type { WebhookRow } from "./webhook";

/** Asks for the name of the webhook's host, and removes the webhook. */
export function RemoveWebhook({ webhook, onClose }: { webhook: WebhookRow; onClose: () => void }) {
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
