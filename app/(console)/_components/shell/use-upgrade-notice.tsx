import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useCallback, useEffect } from "react";
import { useTranslations } from "use-intl";

/** Next's own name for a script that could not be fetched. */
export const isMissingScript = (error: unknown): boolean =>
  error instanceof Error && (error.name === "ChunkLoadError" || /Failed to load chunk/.test(error.message));

/**
 * Says once that a part of the page could not be fetched. The user decides when to reload: a form may be half filled.
 */
export function useUpgradeNotice(): () => void {
  const t = useTranslations("common");
  return useCallback(() => {
    notifications.show({
      id: "upgraded",
      color: "orange",
      title: t("upgradedTitle"),
      autoClose: false,
      role: "alert",
      message: (
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{t("upgradedText")}</Text>
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            {t("reload")}
          </Button>
        </Stack>
      ),
    });
  }, [t]);
}

/** For scripts that a button fetches, not a part of the page. */
export function useMissingScripts(): void {
  const show = useUpgradeNotice();
  useEffect(() => {
    const look = ({ reason }: PromiseRejectionEvent) => {
      if (isMissingScript(reason)) {
        show();
      }
    };
    window.addEventListener("unhandledrejection", look);
    return () => window.removeEventListener("unhandledrejection", look);
  }, [show]);
}
