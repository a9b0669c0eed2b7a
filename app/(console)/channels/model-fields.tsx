import { useId, useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import { converses } from "@/server/domain/enums";
import { Card } from "../_components/cards/card";
import { AddRow } from "../_forms/row-buttons";
import type { ChannelDetail } from "./channel";
import { type ModelDraft, newModel } from "./channel-draft";
import type { FieldsProps } from "./endpoint-fields";
import { ModelRow } from "./model-row";

type Props = FieldsProps & {
  /** The catalog's models. */
  catalogModels: string[];
  /** The stored models, with the capabilities in force for each. */
  stored: ChannelDetail["models"];
};

/** The models that the channel serves, and the upstream name of each. */
export function ModelFields({ draft, onChange, problems, catalogModels, stored }: Props) {
  const t = useTranslations("channels");
  const listId = useId();
  const addButton = useRef<HTMLButtonElement>(null);
  const catalog = useMemo(() => new Set(catalogModels), [catalogModels]);
  const { models } = draft;
  const set = (next: ModelDraft[]) => onChange({ ...draft, models: next });
  return (
    <Card title={t("mapTitle")} text={t("mapHint")}>
      <datalist id={listId}>
        {catalogModels.map((id) => (
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
      <AddRow to="channels.write" ref={addButton} onClick={() => set([...models, newModel()])}>
        {t("modelAdd")}
      </AddRow>
    </Card>
  );
}
