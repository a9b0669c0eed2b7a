import { SimpleGrid, Switch, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { modelKinds } from "@/server/base/facts";
import { Card } from "../_components/card";
import { ChoiceSelect } from "../_components/choice-select";
import { type DraftProblems, type ModelDraft, routingsOf } from "./model-draft";

export type FieldsProps = {
  draft: ModelDraft;
  onChange: (draft: ModelDraft) => void;
  /** Those to show. */
  problems: DraftProblems;
};

/** Below the field, so that fields beside each other line up. */
const order: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

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
      inputWrapperOrder={order}
      readOnly
      variant="filled"
      value={t(`kinds.${draft.kind}`)}
    />
  );
}

/** Which of its channels takes a call. */
function RoutingField({ draft, onChange }: Pick<FieldsProps, "draft" | "onChange">) {
  const t = useTranslations("prices");
  return (
    <ChoiceSelect
      label={t("routing")}
      description={t(`routingHints.${draft.routing}`)}
      inputWrapperOrder={order}
      choices={routingsOf(draft.kind)}
      nameOf={(routing) => t(`routings.${routing}`)}
      value={draft.routing}
      onChange={(routing) => onChange({ ...draft, routing: routing ?? draft.routing })}
    />
  );
}

/** When a silent channel gets company. */
function HedgeField({ draft, onChange, problems }: FieldsProps) {
  const t = useTranslations("prices");
  return (
    <TextInput
      label={t("hedgeAfterMs")}
      description={t("hedgeAfterMsHint")}
      inputWrapperOrder={order}
      inputMode="numeric"
      maxLength={6}
      value={draft.hedgeAfterMs}
      error={problems.hedgeAfterMs && t(`problems.${problems.hedgeAfterMs}`)}
      onChange={(event) => onChange({ ...draft, hedgeAfterMs: event.currentTarget.value })}
    />
  );
}

/** What the model is. */
export function AboutFields({ draft, onChange, problems, isNew }: FieldsProps & { isNew: boolean }) {
  const t = useTranslations("prices");
  const problem = (name: "id" | "ownedBy" | "maxOutputTokens") => {
    const found = problems[name];
    return found && t(`problems.${found}`);
  };
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
          error={problem("id")}
          onChange={(event) => onChange({ ...draft, id: event.currentTarget.value })}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: draft.kind === "chat" ? 3 : 2 }}>
        <KindField draft={draft} onChange={onChange} isNew={isNew} />
        <TextInput
          label={t("ownedBy")}
          description={t("ownedByHint")}
          inputWrapperOrder={order}
          maxLength={120}
          value={draft.ownedBy}
          error={problem("ownedBy")}
          onChange={(event) => onChange({ ...draft, ownedBy: event.currentTarget.value })}
        />
        {draft.kind === "chat" && (
          <TextInput
            label={t("maxOutputTokens")}
            description={t(isNew ? "maxOutputTokensOfNew" : "maxOutputTokensHint")}
            inputWrapperOrder={order}
            inputMode="numeric"
            maxLength={10}
            value={draft.maxOutputTokens}
            error={problem("maxOutputTokens")}
            onChange={(event) => onChange({ ...draft, maxOutputTokens: event.currentTarget.value })}
          />
        )}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: draft.kind === "chat" ? 2 : 1 }}>
        {draft.kind !== "video" && <RoutingField draft={draft} onChange={onChange} />}
        {draft.kind === "chat" && <HedgeField draft={draft} onChange={onChange} problems={problems} />}
      </SimpleGrid>
      <Switch
        label={t("enabled")}
        description={t("enabledHint")}
        checked={draft.isEnabled}
        onChange={(event) => onChange({ ...draft, isEnabled: event.currentTarget.checked })}
      />
    </Card>
  );
}
