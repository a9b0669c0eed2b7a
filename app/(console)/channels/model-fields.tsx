import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useId, useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import { ForChangers } from "../_components/viewer";
import { type ChannelDetail, converses } from "./channel";
import { type ModelDraft, newModel } from "./channel-draft";
import type { FieldsProps } from "./endpoint-fields";
import { ModelRow } from "./model-row";

type Props = FieldsProps & {
  /** The catalog's. */
  known: string[];
  /** As they are stored: what is in force for each. */
  stored: ChannelDetail["models"];
};

/** Which models the channel serves, and what each is called at its upstream. */
export function ModelFields({ draft, onChange, problems, known, stored }: Props) {
  const t = useTranslations("channels");
  const listId = useId();
  const addButton = useRef<HTMLButtonElement>(null);
  const catalog = useMemo(() => new Set(known), [known]);
  const { models } = draft;
  const set = (next: ModelDraft[]) => onChange({ ...draft, models: next });
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h4">
          {t("mapTitle")}
        </Title>
        <Text size="sm" c="dimmed">
          {t("mapHint")}
        </Text>
        <datalist id={listId}>
          {known.map((id) => (
            <option key={id} value={id} />
          ))}
        </datalist>
        {models.map((model, index) => {
          const problem = problems.models.get(model.id);
          return (
            <ModelRow
              key={model.id}
              model={model}
              number={index + 1}
              listId={listId}
              dialect={converses(draft.dialect) ? draft.dialect : null}
              isUnknown={model.modelId.trim() !== "" && !catalog.has(model.modelId.trim())}
              inForce={stored.find(({ modelId }) => modelId === model.modelId.trim())?.inForce ?? {}}
              error={problem && t(`problems.${problem}`)}
              onChange={(changed) => set(models.map((other) => (other === model ? changed : other)))}
              onRemove={() => {
                set(models.filter((other) => other !== model));
                addButton.current?.focus();
              }}
            />
          );
        })}
        <ForChangers>
          <Button
            ref={addButton}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            style={{ alignSelf: "flex-start" }}
            onClick={() => set([...models, newModel()])}
          >
            {t("modelAdd")}
          </Button>
        </ForChangers>
      </Stack>
    </Paper>
  );
}
