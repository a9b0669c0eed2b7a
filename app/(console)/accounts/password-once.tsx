import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "../_components/code-block";

type Props = {
  title: string;
  user: { email: string; password: string };
  onClose: () => void;
  /** A way on, beside the button that closes. */
  children?: ReactNode;
};

/** A password that nobody sees again: it does not close by a click beside it. */
export function PasswordOnce({ title, user, onClose, children }: Props) {
  const t = useTranslations("accounts");
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <Stack>
        <Alert color="orange" icon={<IconEyeOff aria-hidden />} title={t("onceTitle")}>
          {t("onceText")}
        </Alert>
        <div>
          <Text size="sm" fw={500} mb={4} className="wrap-anywhere">
            {t("passwordOf", { email: user.email })}
          </Text>
          <CodeBlock code={user.password} label={t("passwordOf", { email: user.email })} />
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
