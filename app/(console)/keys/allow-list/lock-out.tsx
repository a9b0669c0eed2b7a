import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";

type Props = {
  /** Where the key was used last, and where the reader is; null where the rules let it in. */
  lastAddress: string | null;
  here: string | null;
  onAdd: (address: string) => void;
};

/** Says before it is saved that a list would refuse who calls now. It is no mistake: that may be what is wanted. */
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
