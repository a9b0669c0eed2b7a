import { Button, Group, Text } from "@mantine/core";
import { useTranslations } from "use-intl";

type Props = {
  /** The text of the button that creates; without it the form edits an existing object. */
  create?: string | undefined;
  isChanged: boolean;
  isReady?: boolean;
  isBusy: boolean;
  onUndo: () => void;
};

/** The end of a form: whether it has changes, an undo button, and a save button. */
export function SaveBar({ create, isChanged, isReady = true, isBusy, onUndo }: Props) {
  const t = useTranslations("common");
  const isNew = create !== undefined;
  return (
    <Group justify="flex-end" gap="sm" className="save-bar" data-floats={isNew || isChanged || undefined}>
      <Text size="sm" c="dimmed" role="status">
        {!isNew && isChanged && t("unsaved")}
      </Text>
      {!isNew && isChanged && (
        <Button variant="default" onClick={onUndo}>
          {t("undo")}
        </Button>
      )}
      <Button type="submit" loading={isBusy} disabled={!(isNew || isChanged) || !isReady}>
        {create ?? t("save")}
      </Button>
    </Group>
  );
}
