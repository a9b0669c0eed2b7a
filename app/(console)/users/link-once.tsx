import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEyeOff, IconMailCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "../_components/snippets/code-block";
import { Timestamp } from "../_components/text/timestamp";

type Props = {
  title: string;
  user: { email: string; url: string; expiresAt: string; isMailed: boolean };
  onClose: () => void;
  /** Further actions, next to the button that closes. */
  children?: ReactNode;
};

/** Shows a link once: a click outside does not close the dialog. */
export function LinkOnce({ title, user, onClose, children }: Props) {
  const t = useTranslations("users");
  const label = t("linkOf", { email: user.email });
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <Stack>
        {user.isMailed ? (
          <Alert color="green" icon={<IconMailCheck aria-hidden />} title={t("mailedTitle")}>
            <span className="wrap-anywhere">{t("mailedText", { email: user.email })}</span>
          </Alert>
        ) : (
          <Alert color="orange" icon={<IconEyeOff aria-hidden />} title={t("onceTitle")}>
            {t("onceText")}
          </Alert>
        )}
        <div>
          <Text size="sm" fw={500} mb={4} className="wrap-anywhere">
            {label}
          </Text>
          <CodeBlock code={user.url} label={label} />
          <Text size="sm" c="dimmed" mt={4}>
            {t("linkExpires")} <Timestamp at={user.expiresAt} exact />
          </Text>
        </div>
        <Group justify="flex-end">
          {children}
          <Button data-autofocus onClick={onClose}>
            {t("done")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
