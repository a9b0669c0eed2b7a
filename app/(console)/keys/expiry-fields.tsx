import { SimpleGrid, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { useMomentOf } from "../_components/text/use-moment-of";
import { type Expiry, type ExpiryDraft, expiryOf, expiryPresets } from "./key-draft";

type Props<Draft> = {
  draft: Draft;
  /** The problem of the typed moment. */
  problem: string | undefined;
  /** The key's current expiry, which can be kept. null: never, or a new key. */
  expiresAt: string | null;
  onChange: (draft: Draft) => void;
};

/** Fields for a key's expiry. */
export function ExpiryFields<Draft extends ExpiryDraft>(props: Props<Draft>) {
  const { draft, problem, expiresAt, onChange } = props;
  const t = useTranslations("keys");
  const momentOf = useMomentOf();
  const presets: readonly Expiry[] = expiresAt === null ? expiryPresets : ["keep", ...expiryPresets];
  const chosen = draft.expiry === "keep" ? expiresAt : expiryOf(draft, Date.now());
  const moment = draft.expiry === "custom" ? null : chosen;
  const until = moment && momentOf(moment);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <ChoiceSelect
        label={t("expiry")}
        description={until && t("expiryPreview", { moment: until })}
        inputWrapperOrder={["label", "input", "description", "error"]}
        choices={presets}
        nameOf={(preset) => t(`expiryPresets.${preset}`)}
        value={draft.expiry}
        onChange={(expiry) => onChange({ ...draft, expiry: expiry ?? "never" })}
      />
      {draft.expiry === "custom" && (
        <TextInput
          type="datetime-local"
          label={t("expiresAt")}
          description={t("expiresAtHint")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={draft.customExpiry}
          error={problem}
          onChange={(event) => onChange({ ...draft, customExpiry: event.currentTarget.value })}
        />
      )}
    </SimpleGrid>
  );
}
