import { Alert } from "@mantine/core";
import { IconWifiOff } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { StaleNote } from "./stale-note";
import { useOffline } from "./use-offline";

/** A note above every page that stays in sight: there is no connection, or else some data could not be refreshed. */
export function ConnectionNote() {
  const t = useTranslations("common");
  return useOffline() ? (
    <Alert
      color="orange"
      role="status"
      title={t("offlineTitle")}
      icon={<IconWifiOff aria-hidden />}
      className="stale-note"
    >
      {t("offlineText")}
    </Alert>
  ) : (
    <StaleNote />
  );
}
