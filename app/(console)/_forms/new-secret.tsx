import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconAlertTriangle, IconCheck, IconCopy, IconKey } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";

type Props = {
  secret: string;
  /** Names it for screen readers. */
  label: string;
  /** Whether the user tries to close it without a copy. */
  isAsked: boolean;
  onTaken: () => void;
  onBack: () => void;
  onClose: () => void;
  /** Instructions for the secret. */
  children: ReactNode;
};

/** A new key's secret. It is shown only this once. */
export function NewSecret({ secret, label, isAsked, onTaken, onBack, onClose, children }: Props) {
  const t = useTranslations("keys");
  return (
    <Stack>
      <Alert color="orange" icon={<IconKey aria-hidden />} role="status">
        {t("secretOnce")}
      </Alert>
      <Secret secret={secret} label={label} onTaken={onTaken} />
      {children}
      {isAsked ? (
        <NotCopied onBack={onBack} onClose={onClose} />
      ) : (
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("done")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function NotCopied({ onBack, onClose }: Pick<Props, "onBack" | "onClose">) {
  const t = useTranslations("keys");
  const back = useRef<HTMLButtonElement>(null);
  // It may be at the end of a long dialog, so it takes the focus.
  useEffect(() => back.current?.focus(), []);
  return (
    <Alert color="red" role="alert" title={t("notCopiedTitle")} icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="sm">
        <Text size="sm">{t("notCopiedText")}</Text>
        <Group>
          <Button ref={back} onClick={onBack}>
            {t("notCopiedBack")}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t("notCopiedClose")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Secret({ secret, label, onTaken }: Pick<Props, "secret" | "label" | "onTaken">) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  const { copy, copied, error } = useClipboard({ timeout: 3_000 });
  const button = useRef<HTMLButtonElement>(null);
  // The form that had the focus is gone, so the button takes it.
  useEffect(() => button.current?.focus(), []);
  const callback = useRef(onTaken);
  callback.current = onTaken;
  useEffect(() => {
    if (copied) {
      callback.current();
    }
  }, [copied]);
  return (
    <Stack gap="xs">
      <Code block className="wrap-anywhere" fz="md" p="md" aria-label={label} onCopy={onTaken}>
        <span style={{ userSelect: "all", whiteSpace: "pre-wrap" }}>{secret}</span>
      </Code>
      <Group gap="sm">
        <Button
          ref={button}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          onClick={() => copy(secret)}
        >
          {t("copySecret")}
        </Button>
        <Text size="sm" role="status">
          {copied && common("copied")}
          {error && t("copyFailed")}
        </Text>
      </Group>
    </Stack>
  );
}
