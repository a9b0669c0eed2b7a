import { Button, Group, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { firstOfNextMonth } from "./grid-draft";

/** When the prices begin: at once, where nothing is named. */
export function BeginField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTranslations("prices");
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        type="datetime-local"
        label={t("gridBegins")}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Button variant="default" onClick={() => onChange(firstOfNextMonth(new Date()))}>
        {t("gridNextMonth")}
      </Button>
      {value !== "" && (
        <Button variant="subtle" onClick={() => onChange("")}>
          {t("gridAtOnce")}
        </Button>
      )}
    </Group>
  );
}
