import { SimpleGrid, Switch, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { modelKinds } from "@/server/domain/enums";
import { Card } from "../_components/cards/card";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { Fold } from "../_forms/fold";
import { DraftField, type FieldsProps, helpBelow } from "./draft-field";
import { routingsOf } from "./model-draft";

function KindField({ draft, onChange, isNew }: Pick<FieldsProps, "draft" | "onChange"> & { isNew: boolean }) {
  const t = useTranslations("prices");
  return isNew ? (
    <ChoiceSelect
      label={t("kind")}
      choices={modelKinds}
      nameOf={(kind) => t(`kinds.${kind}`)}
      value={draft.kind}
      onChange={(kind) => onChange({ ...draft, kind: kind ?? draft.kind })}
    />
  ) : (
    <TextInput
      label={t("kind")}
      description={t("kindFixed")}
      inputWrapperOrder={helpBelow}
      readOnly
      variant="filled"
      value={t(`kinds.${draft.kind}`)}
    />
  );
}

/** How the model's calls are shared among its channels. */
function RoutingField({ draft, onChange }: Pick<FieldsProps, "draft" | "onChange">) {
  const t = useTranslations("prices");
  return (
    <ChoiceSelect
      label={t("routing")}
      description={t(`routingHints.${draft.routing}`)}
      inputWrapperOrder={helpBelow}
      choices={routingsOf(draft.kind)}
      nameOf={(routing) => t(`routings.${routing}`)}
      value={draft.routing}
      onChange={(routing) => onChange({ ...draft, routing: routing ?? draft.routing })}
    />
  );
}

/** The card with a model's name, kind and owner. */
export function AboutFields({ isNew, ...fields }: FieldsProps & { isNew: boolean }) {
  const { draft, onChange, problems } = fields;
  const t = useTranslations("prices");
  return (
    <Card title={t("about")}>
      {isNew && (
        <TextInput
          label={t("id")}
          description={t("idHint")}
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={260}
          value={draft.id}
          error={problems.id && t(`problems.${problems.id}`)}
          onChange={(event) => onChange({ ...draft, id: event.currentTarget.value })}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: draft.kind === "chat" ? 3 : 2 }}>
        <KindField draft={draft} onChange={onChange} isNew={isNew} />
        <DraftField
          {...fields}
          name="ownedBy"
          description={t(isNew ? "ownedByOfNew" : "ownedByHint")}
          maxLength={120}
        />
        {draft.kind === "chat" && (
          <DraftField
            {...fields}
            name="maxOutputTokens"
            description={t(isNew ? "maxOutputTokensOfNew" : "maxOutputTokensHint")}
            inputMode="numeric"
            maxLength={10}
          />
        )}
      </SimpleGrid>
      <Switch
        label={t("enabled")}
        description={t("enabledHint")}
        checked={draft.isEnabled}
        onChange={(event) => onChange({ ...draft, isEnabled: event.currentTarget.checked })}
      />
      {draft.kind !== "video" && (
        <Fold
          title={t("routing")}
          hint={t("routingFold")}
          isSet={draft.routing !== "weight" || draft.hedgeAfterMs !== ""}
          isWrong={problems.hedgeAfterMs !== undefined}
        >
          <SimpleGrid cols={{ base: 1, sm: draft.kind === "chat" ? 2 : 1 }}>
            <RoutingField draft={draft} onChange={onChange} />
            {draft.kind === "chat" && (
              <DraftField
                {...fields}
                name="hedgeAfterMs"
                description={t("hedgeAfterMsHint")}
                inputMode="numeric"
                maxLength={6}
              />
            )}
          </SimpleGrid>
        </Fold>
      )}
    </Card>
  );
}
