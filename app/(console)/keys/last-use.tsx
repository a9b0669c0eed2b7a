import { Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { TwoLines } from "../_components/tables/two-lines";
import { Timestamp } from "../_components/text/timestamp";
import type { KeyRow } from "./key";

/** The time and the address of a key's last use. */
export function LastUse({ entry }: { entry: Pick<KeyRow, "lastUsedAt" | "lastAddress"> }) {
  const t = useTranslations("keys");
  if (entry.lastUsedAt === null) {
    return <Text size="sm">{t("neverUsed")}</Text>;
  }
  return (
    <TwoLines below={<span className="wrap-anywhere">{entry.lastAddress}</span>}>
      <Timestamp at={entry.lastUsedAt} short />
    </TwoLines>
  );
}
