import { MultiSelect, Stack, Switch, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Fold } from "../_forms/fold";
import { ExpiryFields } from "./expiry-fields";
import { emptyDraft, type KeyDraft, type KeyProblems } from "./key-draft";
import { KeyLimitFields, limits } from "./key-limit-fields";

type Props = {
  draft: KeyDraft;
  problems: KeyProblems;
  /** Names of the models that may be chosen. */
  models: string[];
  /** The key's current expiry, which can be kept. null: never, or a new key. */
  expiresAt: string | null;
  /** The addresses, if they are a part of the form. */
  addresses?: ReactNode;
  /** Whether a shown problem is in the addresses. */
  hasWrongAddress?: boolean;
  onChange: (draft: KeyDraft) => void;
};

const switches = ["tellsCost", "cachesPrompts"] as const;

function ModelsField({ draft, models, onChange }: Pick<Props, "draft" | "models" | "onChange">) {
  const t = useTranslations("keys");
  return (
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
  );
}

/** All fields of a key: its name and expiry, and the others folded unless they are in use. */
export function KeyFields(props: Props) {
  const { draft, problems, models, expiresAt, addresses, hasWrongAddress = false, onChange } = props;
  const t = useTranslations("keys");
  const isSet = (fields: readonly (keyof KeyDraft)[]) =>
    fields.some((field) => String(draft[field]) !== String(emptyDraft[field]));
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
      <Fold
        title={t("limits")}
        hint={t("limitsHint")}
        isSet={isSet(limits)}
        isWrong={limits.some((field) => problems[field])}
      >
        <KeyLimitFields {...{ draft, problem, onChange }} />
      </Fold>
      <Fold title={t("access")} hint={t("accessHint")} isSet={isSet(["models"])} isWrong={hasWrongAddress}>
        <ModelsField {...{ draft, models, onChange }} />
        {addresses}
      </Fold>
      <Fold title={t("responses")} hint={t("responsesHint")} isSet={isSet(switches)} isWrong={false}>
        {switches.map((field) => (
          <Switch
            key={field}
            label={t(field)}
            description={t(`${field}Hint`)}
            checked={draft[field]}
            onChange={(event) => onChange({ ...draft, [field]: event.currentTarget.checked })}
          />
        ))}
      </Fold>
    </Stack>
  );
}
