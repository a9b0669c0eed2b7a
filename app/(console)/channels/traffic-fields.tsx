import { SimpleGrid, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { converses } from "@/server/domain/enums";
import { Card } from "../_components/cards/card";
import { makesVideos } from "./channel";
import type { FieldsProps } from "./endpoint-fields";

const hints = {
  priority: "priorityHint",
  weight: "weightHint",
  maxTasks: "maxTasksHint",
  timeoutSeconds: "timeoutSecondsHint",
  idleTimeoutSeconds: "idleTimeoutSecondsHint",
} as const;

type TrafficField = keyof typeof hints;

/** The channel's share of calls, and its time limits. */
export function TrafficFields({ draft, onChange, problems }: FieldsProps) {
  const t = useTranslations("channels");
  const fields: TrafficField[] = [
    "priority",
    "weight",
    ...(makesVideos(draft.dialect) ? (["maxTasks"] as const) : []),
    ...(converses(draft.dialect) ? (["timeoutSeconds", "idleTimeoutSeconds"] as const) : []),
  ];
  return (
    <Card title={t("traffic")}>
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
    </Card>
  );
}
