import { Button, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowRight, IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import type { VendorApi } from "@/server/domain/enums";
import { onDemand } from "../_components/data/on-demand";
import { Permitted, useMay } from "../_components/shell/viewer";
import { RemoveRow } from "../_forms/row-buttons";
import type { ChannelDetail } from "./channel";
import type { ModelDraft } from "./channel-draft";

const OverrideFields = onDemand(() => import("./override-fields").then((module) => module.OverrideFields));

type Props = {
  model: ModelDraft;
  number: number;
  /** Suggestions of public names. */
  listId: string;
  /** null: the dialect has no capabilities to set. */
  dialect: VendorApi | null;
  /** Whether the model is missing from the catalog. */
  isUnknown: boolean;
  inForce: ChannelDetail["models"][number]["inForce"];
  error: string | undefined;
  onChange: (model: ModelDraft) => void;
  onRemove: () => void;
};

function NameFields({ model, number, listId, error, onChange }: Props) {
  const t = useTranslations("channels");
  return (
    <>
      <TextInput
        flex="1 1 12rem"
        aria-label={`${t("publicName")} ${number}`}
        placeholder={t("publicName")}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        maxLength={260}
        value={model.modelId}
        error={error}
        onChange={(event) => onChange({ ...model, modelId: event.currentTarget.value })}
      />
      <IconArrowRight size={16} aria-hidden />
      <TextInput
        flex="1 1 12rem"
        aria-label={`${t("upstreamName")} ${number}`}
        placeholder={model.modelId.trim() === "" ? t("upstreamName") : t("sameName")}
        autoComplete="off"
        spellCheck={false}
        maxLength={260}
        value={model.upstreamName}
        onChange={(event) => onChange({ ...model, upstreamName: event.currentTarget.value })}
      />
    </>
  );
}

/** One model with its upstream name and its capabilities. */
export function ModelRow(props: Props) {
  const { model, number, dialect, isUnknown, inForce, onChange, onRemove } = props;
  const t = useTranslations("channels");
  // A viewer cannot open a panel in disabled fields, so a panel with overrides starts open.
  const mayChange = useMay("channels.write");
  const [isOpen, setOpen] = useState(!mayChange && Object.keys(model.overrides).length > 0);
  const panelId = useId();
  const isNamed = model.modelId.trim() !== "";
  const name = isNamed ? model.modelId.trim() : t("modelUnnamed", { number });
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Stack gap={4}>
      <Group gap="xs" align="center" className="model-names">
        <NameFields {...props} />
        <RemoveRow to="channels.write" label={t("modelRemove", { name })} onClick={onRemove} />
      </Group>
      {isUnknown && (
        <Text size="xs" c="orange">
          {t("notInCatalog")}
        </Text>
      )}
      {dialect && isNamed && (
        <Permitted to="channels.write">
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            className="wrapping-button"
            leftSection={<Chevron size={14} aria-hidden />}
            aria-expanded={isOpen}
            aria-controls={isOpen ? panelId : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            {t("advancedOf", { name, count: Object.keys(model.overrides).length })}
          </Button>
        </Permitted>
      )}
      {dialect && isNamed && isOpen && (
        <Paper id={panelId} withBorder p="sm">
          <OverrideFields
            dialect={dialect}
            overrides={model.overrides}
            inForce={inForce}
            onChange={(overrides) => onChange({ ...model, overrides })}
          />
        </Paper>
      )}
    </Stack>
  );
}
