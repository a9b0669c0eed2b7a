import { MultiSelect, SimpleGrid } from "@mantine/core";
import { useTranslations } from "use-intl";
import { modalities } from "@/server/domain/enums";
import { Card } from "../_components/cards/card";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { DraftField, type FieldsProps } from "./draft-field";
import { factsOf } from "./fact-draft";

type Flag = "hasTools" | "hasThinking";
type List = "inputModalities" | "outputModalities";

function FlagField({ name, draft, onChange }: Pick<FieldsProps, "draft" | "onChange"> & { name: Flag }) {
  const t = useTranslations("prices");
  const common = useTranslations("common");
  const answer = draft[name] ? "yes" : "no";
  return (
    <ChoiceSelect
      label={t(name)}
      choices={["yes", "no"]}
      nameOf={(choice) => common(choice)}
      any={common("unknown")}
      value={draft[name] === null ? null : answer}
      onChange={(choice) => onChange({ ...draft, [name]: choice === null ? null : choice === "yes" })}
    />
  );
}

function ListField({ name, draft, onChange }: Pick<FieldsProps, "draft" | "onChange"> & { name: List }) {
  const t = useTranslations("prices");
  const common = useTranslations("common");
  return (
    <MultiSelect
      label={t(name)}
      placeholder={draft[name].length === 0 ? common("unknown") : ""}
      data={modalities.map((modality) => ({ value: modality, label: common(`modalities.${modality}`) }))}
      value={[...draft[name]]}
      onChange={(chosen) =>
        onChange({ ...draft, [name]: modalities.filter((modality) => chosen.includes(modality)) })
      }
    />
  );
}

/** The abilities that model lists show to clients. Kinds of models without abilities have no card. */
export function FactFields({ isNew, ...fields }: FieldsProps & { isNew: boolean }) {
  const { draft, onChange } = fields;
  const t = useTranslations("prices");
  if (factsOf(draft.kind).length === 0) {
    return null;
  }
  return (
    <Card title={t("facts")} text={t(isNew ? "factsOfNew" : "factsLead")}>
      <DraftField
        {...fields}
        name="contextWindow"
        description={t("contextWindowHint")}
        inputMode="numeric"
        maxLength={10}
      />
      {draft.kind === "chat" && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <ListField name="inputModalities" draft={draft} onChange={onChange} />
          <ListField name="outputModalities" draft={draft} onChange={onChange} />
          <FlagField name="hasTools" draft={draft} onChange={onChange} />
          <FlagField name="hasThinking" draft={draft} onChange={onChange} />
        </SimpleGrid>
      )}
    </Card>
  );
}
