import { Button, Group, Stack, Text } from "@mantine/core";
import { IconCode, IconMessageCircle } from "@tabler/icons-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { useMay } from "../_components/shell/viewer";
import { CopyButton } from "../_components/snippets/copy-button";
import { type Model, playgroundHref } from "./model";

export function ModelName({ id, ownedBy }: Pick<Model, "id" | "ownedBy">) {
  const t = useTranslations("models");
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Stack gap={0} miw={0}>
        <Text size="sm" fw={600} className="wrap-anywhere">
          {id}
        </Text>
        <Text size="xs" c="dimmed" fw={400}>
          {ownedBy}
        </Text>
      </Stack>
      <CopyButton value={id} label={t("copyId", { id })} />
    </Group>
  );
}

export function ModelActions({ model, onOpen }: { model: Model; onOpen: (id: string) => void }) {
  const t = useTranslations("models");
  const { id } = model;
  const href = useMay("calls.make") ? playgroundHref(model) : null;
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconCode size={14} aria-hidden />}
        onClick={() => onOpen(id)}
        aria-label={t("codeOf", { id })}
      >
        {t("code")}
      </Button>
      {href !== null && (
        <Button
          size="xs"
          variant="default"
          component={Link}
          href={href}
          leftSection={<IconMessageCircle size={14} aria-hidden />}
          aria-label={t("tryOf", { id })}
        >
          {t("try")}
        </Button>
      )}
    </Group>
  );
}
