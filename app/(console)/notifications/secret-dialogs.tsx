import { Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { DocLink } from "../_components/snippets/doc-link";
import { FormEnd } from "../_forms/form-end";
import { SecretDialog } from "../_forms/secret-dialog";
import { CreateForm } from "./create-form";
import { useRotateWebhook } from "./use-webhooks";
import type { NewWebhook, WebhookRow } from "./webhook";

function HowToVerify() {
  const t = useTranslations("webhooks");
  return (
    <Stack gap="xs">
      <Text size="sm">{t("verifyText")}</Text>
      <DocLink page="webhooks" />
    </Stack>
  );
}

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("webhooks");
  return (
    <SecretDialog<NewWebhook>
      title={t("createTitle")}
      createdTitle={t("createdTitle")}
      label={t("secretLabel")}
      form={(onCreated) => <CreateForm onCreated={onCreated} onCancel={onClose} />}
      onClose={onClose}
    >
      {() => <HowToVerify />}
    </SecretDialog>
  );
}

function RotateForm(props: {
  webhook: WebhookRow;
  onRotated: (made: NewWebhook) => void;
  onCancel: () => void;
}) {
  const t = useTranslations("webhooks");
  const { mutate, ...change } = useRotateWebhook({ onSuccess: props.onRotated });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ webhookId: props.webhook.id });
      }}
    >
      <Stack>
        <Text size="sm">{t("rotateText")}</Text>
        <FormEnd action={t("rotateAction")} change={change} onCancel={props.onCancel} />
      </Stack>
    </form>
  );
}

export function RotateDialog({ webhook, onClose }: { webhook: WebhookRow; onClose: () => void }) {
  const t = useTranslations("webhooks");
  return (
    <SecretDialog<NewWebhook>
      title={t("rotateTitle")}
      createdTitle={t("rotatedTitle")}
      label={t("secretLabel")}
      form={(onRotated) => <RotateForm webhook={webhook} onRotated={onRotated} onCancel={onClose} />}
      onClose={onClose}
    >
      {() => <HowToVerify />}
    </SecretDialog>
  );
}
