import { Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Timestamp } from "../_components/timestamp";
import type { KeyRow } from "./key";

/** When a key was used last, and from where. */
export function LastUse({ entry }: { entry: Pick<KeyRow, "lastUsedAt" | "lastAddress"> }) {
  const t = useTranslations("keys");
  if (entry.lastUsedAt === null) {
    return <Text size="sm">{t("neverUsed")}</Text>;
  }
  return (
    <Stack gap={0}>
      <Timestamp at={entry.lastUsedAt} short />
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {entry.lastAddress}
      </Text>
    </Stack>
  );
}
