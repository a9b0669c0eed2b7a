import { NumberInput, Paper, SimpleGrid, Stack, Textarea, VisuallyHidden } from "@mantine/core";
import { useTranslations } from "use-intl";
import { dialects, type PlaygroundDialect, type PlaygroundSettings } from "./dialect";
import { ModelPicker } from "./model-picker";
import type { ModelChoice } from "./use-model-choice";

type SettingsWithoutModel = Omit<PlaygroundSettings, "model">;

type Props = {
  dialect: PlaygroundDialect;
  choice: ModelChoice;
  terms: SettingsWithoutModel;
  onChange: (change: Partial<SettingsWithoutModel>) => void;
};

const numberOf = (value: string | number): number | null => (typeof value === "number" ? value : null);

/** The settings of every question of a thread. */
export function ConversationSettings({ dialect, choice, terms, onChange }: Props) {
  const t = useTranslations("playground");
  return (
    <Paper withBorder p="md" component="section">
      <VisuallyHidden component="h2">{t("settings")}</VisuallyHidden>
      <Stack gap="sm">
        <ModelPicker {...choice} />
        <Textarea
          label={t("system")}
          placeholder={t("systemPlaceholder")}
          value={terms.system}
          onChange={(event) => onChange({ system: event.currentTarget.value })}
          autosize
          minRows={2}
          maxRows={8}
        />
        <SimpleGrid cols={2}>
          <NumberInput
            label={t("temperature")}
            placeholder={t("asModel")}
            value={terms.temperature ?? ""}
            onChange={(value) => onChange({ temperature: numberOf(value) })}
            min={0}
            max={dialects[dialect].maxTemperature}
            step={0.1}
            decimalScale={2}
          />
          <NumberInput
            label={t("maxTokens")}
            placeholder={choice.model ? String(choice.model.maxOutputTokens) : ""}
            value={terms.maxTokens ?? ""}
            onChange={(value) => onChange({ maxTokens: numberOf(value) })}
            min={1}
            allowDecimal={false}
          />
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}
