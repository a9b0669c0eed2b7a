import { Anchor, Modal, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { Snippet, SnippetCall } from "../_components/snippets/snippet-templates";
import { Snippets } from "../_components/snippets/snippets";

export type CodeProps = { model: string; call: SnippetCall; initial?: Snippet["id"] };

type Props = CodeProps & { isOpen: boolean; onClose: () => void };

export function CodeDialog({ isOpen, onClose, model, call, initial }: Props) {
  const t = useTranslations("playground");
  const models = useTranslations("models");
  const common = useTranslations("common");
  const code = (chunks: React.ReactNode) => <code>{chunks}</code>;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      size="lg"
      title={t("copyAsCode")}
      closeButtonProps={{ "aria-label": common("close") }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {models.rich("keyNote", {
            code,
            keys: (chunks) => (
              <Anchor component={Link} href={addresses.keys()} inherit underline="always">
                {chunks}
              </Anchor>
            ),
          })}
        </Text>
        <Snippets {...call} secret={null} model={model} {...(initial && { initial })} />
        {call.kind === "video" && <Text size="sm">{models.rich("taskNote", { code })}</Text>}
      </Stack>
    </Modal>
  );
}
