import { MultiSelect, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useInstallation } from "../_components/text/installation";
import { ExpiryFields } from "./expiry-fields";
import type { KeyDraft, KeyProblems } from "./key-draft";

type Props = {
  draft: KeyDraft;
  problems: KeyProblems;
  /** Names of the models that may be chosen. */
  models: string[];
  /** The key's current expiry, which can be kept. null: never, or a new key. */
  expiresAt: string | null;
  onChange: (draft: KeyDraft) => void;
};

/** All fields of a key except its addresses. */
export function KeyFields({ draft, problems, models, expiresAt, onChange }: Props) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  const { currency } = useInstallation();
  const problem = (field: keyof KeyDraft) => problems[field] && t(`problems.${problems[field]}`);
  return (
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
      <ExpiryFields
        draft={draft}
        problem={problem("customExpiry")}
        expiresAt={expiresAt}
        onChange={onChange}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {(["perMinute", "atOnce"] as const).map((field) => (
          <TextInput
            key={field}
            label={t(field)}
            description={t(`${field}Hint`)}
            placeholder={common("noLimit")}
            autoComplete="off"
            inputMode="numeric"
            value={draft[field]}
            error={problem(field)}
            onChange={(event) => onChange({ ...draft, [field]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {(["dailyCap", "weeklyCap", "cap"] as const).map((field) => (
          <TextInput
            key={field}
            label={t(field)}
            description={t(`${field}Hint`)}
            placeholder={common("noLimit")}
            autoComplete="off"
            inputMode="decimal"
            rightSection={currency}
            rightSectionWidth={52}
            value={draft[field]}
            error={problem(field)}
            onChange={(event) => onChange({ ...draft, [field]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <MultiSelect
        label={t("models")}
        description={t("modelsHint")}
        placeholder={draft.models.length === 0 ? t("modelsPlaceholder") : undefined}
        // A model that is no longer on sale can still be removed.
        data={[...new Set([...models, ...draft.models])]}
        value={draft.models}
        searchable
        clearable
        limit={100}
        nothingFoundMessage={t("modelsNoMatch")}
        onChange={(chosen) => onChange({ ...draft, models: chosen })}
      />
      <Switch
        label={t("tellsCost")}
        description={t("tellsCostHint")}
        checked={draft.tellsCost}
        onChange={(event) => onChange({ ...draft, tellsCost: event.currentTarget.checked })}
      />
      <Switch
        label={t("cachesPrompts")}
        description={t("cachesPromptsHint")}
        checked={draft.cachesPrompts}
        onChange={(event) => onChange({ ...draft, cachesPrompts: event.currentTarget.checked })}
      />
    </Stack>
  );
}
