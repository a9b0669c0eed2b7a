import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import { useInstallation } from "./installation";
import { servedBuild } from "./served-build";

/** The build for which this tab has loaded itself anew already: while replicas of both answer, once is enough. */
const RELOADED_FOR = "tollgate.reloadedFor";

/** What is typed to search is in the address, and not lost. A choice from a list may be of a form, wherever it is shown. */
const isDraft = ({ type, target }: Event) =>
  target instanceof Element &&
  (type === "input" ? !target.closest('[role="search"]') : target.closest('[role="option"]') !== null);

/** Whether something has been filled in since the page was opened. */
function useFilledIn(path: string): RefObject<boolean> {
  const isFilledIn = useRef(false);
  useEffect(() => {
    const look = (event: Event) => {
      isFilledIn.current ||= isDraft(event);
    };
    document.addEventListener("input", look, true);
    document.addEventListener("click", look, true);
    return () => {
      document.removeEventListener("input", look, true);
      document.removeEventListener("click", look, true);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another draft
  useEffect(() => {
    isFilledIn.current = false;
  }, [path]);
  return isFilledIn;
}

function UpgradeText() {
  const t = useTranslations("common");
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{t("newBuildText")}</Text>
      <Button size="xs" variant="default" onClick={() => window.location.reload()}>
        {t("reload")}
      </Button>
    </Stack>
  );
}

/**
 * Loads the console anew once the server has another build of it: at the next page, or when the tab goes out of sight.
 * Not over a dialog, a change under way or what is being typed; until then a notice says so.
 */
export function useUpgrade(): void {
  const t = useTranslations("common");
  const { build } = useInstallation();
  const client = useQueryClient();
  const path = usePathname();
  const isFilledIn = useFilledIn(path);
  const served = useSyncExternalStore(servedBuild.subscribe, servedBuild.latest, () => null);
  const isOld = served !== null && served !== build;
  const openedAt = useRef(path);
  useEffect(() => {
    if (!isOld) {
      openedAt.current = path;
      return;
    }
    const isSafe = () =>
      (document.hidden || path !== openedAt.current) &&
      client.isMutating() === 0 &&
      !document.querySelector('[role="dialog"]') &&
      !isFilledIn.current &&
      sessionStorage.getItem(RELOADED_FOR) !== served;
    const look = () => {
      if (isSafe()) {
        sessionStorage.setItem(RELOADED_FOR, served);
        window.location.reload();
      }
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [isOld, served, path, client, isFilledIn]);
  useEffect(() => {
    if (isOld) {
      notifications.show({
        id: "newBuild",
        title: t("newBuildTitle"),
        message: <UpgradeText />,
        autoClose: false,
      });
    }
  }, [isOld, t]);
}
