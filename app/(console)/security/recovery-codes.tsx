import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import { IconDownload, IconEyeOff } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "../_components/snippets/code-block";
import { CopyButton } from "../_components/snippets/copy-button";

type Props = { email: string; codes: string[]; onClose: () => void };

/** Shows the codes once: a click outside or a stray key does not close the dialog. */
export function RecoveryCodes({ email, codes, onClose }: Props) {
  const t = useTranslations("security");
  const text = codes.join("\n");
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${t("codesFile", { email })}\n\n${text}\n`)}`;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("codesTitle")}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange" icon={<IconEyeOff aria-hidden />} title={t("codesOnce")}>
          {t("codesText")}
        </Alert>
        <CodeBlock code={text} label={t("codes")} />
        <Group>
          <CopyButton full value={text} label={t("copyCodes")} />
          <Button
            component="a"
            href={file}
            download="tollgate-recovery-codes.txt"
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t("downloadCodes")}
          </Button>
        </Group>
        <Group justify="flex-end">
          <Button data-autofocus onClick={onClose}>
            {t("savedCodes")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
