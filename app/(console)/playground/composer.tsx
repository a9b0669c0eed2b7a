import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconPlayerStop, IconSend } from "@tabler/icons-react";
import type { KeyboardEvent } from "react";
import { useTranslations } from "use-intl";

type Props = {
  draft: string;
  onChange: (draft: string) => void;
  onSend: () => void;
  /** null: no call is running. */
  onStop: (() => void) | null;
};

/** Whether a key press sends. An Enter that ends a word of an input method does not. */
const isSending = ({ key, shiftKey, nativeEvent }: KeyboardEvent) =>
  key === "Enter" && !shiftKey && !nativeEvent.isComposing;

export function Composer({ draft, onChange, onSend, onStop }: Props) {
  const t = useTranslations("playground");
  const canSend = draft.trim() !== "" && onStop === null;
  return (
    <Stack
      component="form"
      gap="xs"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) {
          onSend();
        }
      }}
    >
      <Textarea
        label={t("message")}
        placeholder={t("messagePlaceholder")}
        value={draft}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isSending(event)) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }
        }}
        autosize
        minRows={2}
        maxRows={12}
      />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {t("keysHint")}
        </Text>
        {onStop ? (
          <Button
            color="red"
            ml="auto"
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            onClick={onStop}
          >
            {t("stop")}
          </Button>
        ) : (
          <Button
            type="submit"
            ml="auto"
            leftSection={<IconSend size={16} aria-hidden />}
            disabled={!canSend}
          >
            {t("send")}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
