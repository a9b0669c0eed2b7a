import { ActionIcon, Button, CopyButton as Copying } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslations } from "use-intl";

/** `label` says what is copied, for screen readers. `full`: a button with words instead of an icon. */
export function CopyButton({ value, label, full = false }: { value: string; label: string; full?: boolean }) {
  const t = useTranslations("common");
  return (
    <Copying value={value} timeout={2_000}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
        const text = copied ? t("copied") : label;
        return full ? (
          <Button variant="default" onClick={copy} leftSection={icon} aria-live="polite">
            {text}
          </Button>
        ) : (
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={copy}
            title={text}
            aria-label={text}
            aria-live="polite"
          >
            {icon}
          </ActionIcon>
        );
      }}
    </Copying>
  );
}
