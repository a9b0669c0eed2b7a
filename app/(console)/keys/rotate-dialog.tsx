import { Text } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useMomentOf } from "../_components/text/use-moment-of";
import { SecretDialog } from "../_forms/secret-dialog";
import type { Rotated, RotatedKey } from "./key";
import { RotateForm } from "./rotate-form";

/** Gives a key a new secret, and shows it, once. */
export function RotateDialog({ entry, onClose }: { entry: Rotated; onClose: () => void }) {
  const t = useTranslations("keys");
  // The key as it was when the dialog opened; behind the dialog the page already shows its new state.
  const [before] = useState(entry);
  return (
    <SecretDialog<RotatedKey>
      title={t("rotateTitle")}
      createdTitle={t("rotatedTitle")}
      label={t("secretLabel")}
      form={(onCreated) => <RotateForm entry={before} onRotated={onCreated} onCancel={onClose} />}
      onClose={onClose}
    >
      {({ oldUntil }) => <OldSecret lastFour={before.lastFour} until={oldUntil} />}
    </SecretDialog>
  );
}

function OldSecret({ lastFour, until }: { lastFour: string; until: string | null }) {
  const t = useTranslations("keys");
  const momentOf = useMomentOf();
  return (
    <Text size="sm">
      {until === null
        ? t("rotatedEnded", { lastFour })
        : t("rotatedKept", {
            lastFour,
            moment: momentOf(until),
          })}
    </Text>
  );
}
