import { Paper, SimpleGrid, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { converses } from "@/server/domain/enums";
import { Fold } from "../_forms/fold";
import { makesVideos } from "./channel";
import { emptyDraft } from "./channel-draft";
import type { FieldsProps } from "./endpoint-fields";

const hints = {
  priority: "priorityHint",
  weight: "weightHint",
  maxTasks: "maxTasksHint",
  timeoutSeconds: "timeoutSecondsHint",
  idleTimeoutSeconds: "idleTimeoutSecondsHint",
} as const;

type TrafficField = keyof typeof hints;

const usual = emptyDraft();

/** The channel's share of calls, and its time limits: folded while they are as usual. */
export function TrafficFields({ draft, onChange, problems }: FieldsProps) {
  const t = useTranslations("channels");
  const fields: TrafficField[] = [
    "priority",
    "weight",
    ...(makesVideos(draft.dialect) ? (["maxTasks"] as const) : []),
    ...(converses(draft.dialect) ? (["timeoutSeconds", "idleTimeoutSeconds"] as const) : []),
  ];
  return (
    <Paper withBorder px="lg" py="xs">
      <Fold
        title={t("limits")}
        hint={t("limitsHint")}
        isSet={fields.some((field) => draft[field] !== usual[field])}
        isWrong={fields.some((field) => problems[field])}
      >
        <SimpleGrid cols={{ base: 1, sm: Math.min(fields.length, 3) }}>
          {fields.map((field) => {
            const problem = problems[field];
            return (
              <TextInput
                key={field}
                label={t(field)}
                description={t(hints[field])}
                inputWrapperOrder={["label", "input", "description", "error"]}
                inputMode="numeric"
                maxLength={7}
                value={draft[field]}
                error={problem && t(`problems.${problem}`)}
                onChange={(event) => onChange({ ...draft, [field]: event.currentTarget.value })}
              />
            );
          })}
        </SimpleGrid>
      </Fold>
    </Paper>
  );
}
