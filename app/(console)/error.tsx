"use client";

import { Alert, Button, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { isMissingScript } from "./_components/shell/use-upgrade-notice";

/** Shown in place of a page that crashed. `digest` finds the error in the server's log. */
export default function Crashed({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const t = useTranslations("common");
  if (isMissingScript(error)) {
    return (
      <Alert color="orange" role="alert" title={t("upgradedTitle")}>
        <Stack align="flex-start" gap="xs">
          <Text size="sm">{t("upgradedText")}</Text>
          <Button variant="default" onClick={() => window.location.reload()}>
            {t("reload")}
          </Button>
        </Stack>
      </Alert>
    );
  }
  return (
    <Alert color="red" role="alert" title={t("crashedTitle")}>
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{t("crashedText")}</Text>
        <Text size="xs" ff="monospace">
          {t("requestId", { id: error.digest ?? error.name })}
        </Text>
        <Button variant="default" onClick={reset}>
          {t("reload")}
        </Button>
      </Stack>
    </Alert>
  );
}
