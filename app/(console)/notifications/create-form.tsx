import { Stack, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { FormEnd } from "../_forms/form-end";
import { useDraft } from "../_forms/use-draft";
import { EventField } from "./event-field";
import { useCreateWebhook } from "./use-webhooks";
import type { NewWebhook, WebhookTerms } from "./webhook";

const empty: WebhookTerms = { url: "", events: ["quota.threshold", "key.cap_threshold"] };

type Problems = { url?: "urlNeeded"; events?: "eventNeeded" };

const problemsOf = ({ url, events }: WebhookTerms): Problems => ({
  ...(!URL.canParse(url.trim()) && { url: "urlNeeded" }),
  ...(events.length === 0 && { events: "eventNeeded" }),
});

type Props = { onCreated: (webhook: NewWebhook) => void; onCancel: () => void };

export function CreateForm({ onCreated, onCancel }: Props) {
  const t = useTranslations("webhooks");
  const { mutate, ...change } = useCreateWebhook({ onSuccess: onCreated });
  const { form, draft, problems, onChange } = useDraft<WebhookTerms, Problems>(empty, {
    problemsOf,
    none: {},
    send: ({ url, events }) => mutate({ url: url.trim(), events }),
  });
  return (
    <form {...form}>
      <Stack>
        <TextInput
          data-autofocus
          type="url"
          label={t("url")}
          description={t("urlHint")}
          placeholder="https://example.com/tollgate"
          required
          autoComplete="off"
          value={draft.url}
          error={problems.url && t(problems.url)}
          onChange={(event) => onChange({ ...draft, url: event.currentTarget.value })}
        />
        <EventField
          withTypes
          value={draft.events}
          error={problems.events && t(problems.events)}
          onChange={(events) => onChange({ ...draft, events })}
        />
        <FormEnd action={t("createAction")} change={change} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
