import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";

type Props = {
  /** The address of the key's last use, and the reader's own; null if the rules allow it. */
  lastAddress: string | null;
  here: string | null;
  onAdd: (address: string) => void;
};

/** Warns before saving that the list would refuse a current caller. It is no error: the user may want that. */
export function LockOut({ lastAddress, here, onAdd }: Props) {
  const t = useTranslations("allowList");
  return (
    <>
      {lastAddress !== null && (
        <Alert color="orange" title={t("lockOutTitle")} icon={<IconAlertTriangle aria-hidden />}>
          <Stack gap={6} align="flex-start">
            <Text size="sm">{t("lockOutLast", { address: lastAddress })}</Text>
            <Button size="xs" variant="default" onClick={() => onAdd(lastAddress)}>
              {t("addAddress", { address: lastAddress })}
            </Button>
          </Stack>
        </Alert>
      )}
      {here !== null && (
        <Alert color="orange" p="xs" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {t("lockOutHere", { address: here })}
        </Alert>
      )}
    </>
  );
}
