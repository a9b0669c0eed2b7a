import { Button, Group, Text } from "@mantine/core";
import { useTranslations } from "use-intl";

type Props = { isChanged: boolean; isReady: boolean; isBusy: boolean; onReset: () => void };

/** The end of a form over something that exists. */
export function SaveBar({ isChanged, isReady, isBusy, onReset }: Props) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  return (
    <Group justify="flex-end" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {isChanged && t("unsaved")}
      </Text>
      {isChanged && (
        <Button variant="default" onClick={onReset}>
          {t("reset")}
        </Button>
      )}
      <Button type="submit" loading={isBusy} disabled={!isChanged || !isReady}>
        {common("save")}
      </Button>
    </Group>
  );
}
