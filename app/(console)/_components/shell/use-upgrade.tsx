import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import { useInstallation } from "../text/installation";
import { servedBuild } from "./served-build";

/** The build for which this tab has already reloaded itself: while replicas of both builds answer, once is enough. */
const RELOADED_FOR = "tollgate.reloadedFor";

/**
 * Whether an event is unsaved input. A search text is in the address, so it is not lost. A chosen option may belong
 * to a form, even if it is rendered elsewhere.
 */
const isDraft = ({ type, target }: Event) =>
  target instanceof Element &&
  (type === "input" ? !target.closest('[role="search"]') : target.closest('[role="option"]') !== null);

/** Whether the user has entered anything since the page was opened. */
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
 * Reloads the console once the server has another build: at the next page, or when the tab is hidden. Never during a
 * dialog, a pending change or unsaved input; until then a notice says so.
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
