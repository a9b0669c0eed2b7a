import { Paper, SimpleGrid, Stack, TextInput, Title } from "@mantine/core";
import { useTranslations } from "use-intl";
import { makesVideos } from "./channel";
import type { FieldsProps } from "./endpoint-fields";

type Field = "priority" | "weight" | "maxTasks";

const hints = { priority: "priorityHint", weight: "weightHint", maxTasks: "maxTasksHint" } as const;

/** How many of the calls it gets. */
export function TrafficFields({ draft, onChange, problems }: FieldsProps) {
  const t = useTranslations("channels");
  const fields: Field[] = makesVideos(draft.dialect)
    ? ["priority", "weight", "maxTasks"]
    : ["priority", "weight"];
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h4">
          {t("traffic")}
        </Title>
        <SimpleGrid cols={{ base: 1, sm: fields.length }}>
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
      </Stack>
    </Paper>
  );
}
