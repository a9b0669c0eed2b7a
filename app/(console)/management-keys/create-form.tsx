import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { FormEnd } from "../_forms/form-end";
import { useDraft } from "../_forms/use-draft";
import { ExpiryFields } from "../keys/expiry-fields";
import type { KeyProblems } from "../keys/key-draft";
import type { NewManagementKey } from "./management-key";
import { emptyDraft, problemsOf, termsOf } from "./management-key-draft";
import { useCreateManagementKey } from "./use-management-keys";

type Props = { onCreated: (key: NewManagementKey) => void; onCancel: () => void };

export function CreateForm({ onCreated, onCancel }: Props) {
  const t = useTranslations("managementKeys");
  const keys = useTranslations("keys");
  const { create, ...change } = useCreateManagementKey(onCreated);
  const { form, draft, problems, onChange } = useDraft(emptyDraft, {
    problemsOf,
    none: {},
    send: (typed) => create(termsOf(typed, Date.now())),
  });
  const problem = (field: keyof KeyProblems) => problems[field] && keys(`problems.${problems[field]}`);
  return (
    <form {...form}>
      <Stack>
        <TextInput
          data-autofocus
          label={t("name")}
          description={t("nameHint")}
          placeholder={t("namePlaceholder")}
          required
          autoComplete="off"
          value={draft.name}
          error={problem("name")}
          onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        />
        <Checkbox
          label={t("readOnly")}
          description={t("readOnlyHint")}
          checked={draft.isReadOnly}
          onChange={(event) => onChange({ ...draft, isReadOnly: event.currentTarget.checked })}
        />
        <ExpiryFields draft={draft} problem={problem("customExpiry")} expiresAt={null} onChange={onChange} />
        <FormEnd action={t("createAction")} change={change} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
