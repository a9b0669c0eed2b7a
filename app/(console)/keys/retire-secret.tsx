import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { FormDialog } from "../_forms/form-dialog";
import type { KeyDetail } from "./key";

/** Revokes the previous secret of a rotated key early, after a confirmation. */
export function RetireSecret({ entry: { id, name, lastFour, oldLastFour } }: { entry: KeyDetail }) {
  const t = useTranslations("keys");
  const [isAsked, setAsked] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const change = useMutation(
    useTRPC().keys.retireSecret.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => {
        notifications.show({ message: t("retiredNotice", { name }), role: "status" });
        setAsked(false);
        // The button disappears with the secret.
        document.getElementById("content")?.focus();
      },
    }),
  );
  if (oldLastFour === null) {
    return null;
  }
  return (
    <>
      <Button ref={button} size="compact-sm" variant="default" onClick={() => setAsked(true)}>
        {t("retire")}
      </Button>
      {isAsked && (
        <FormDialog
          title={t("retireTitle")}
          action={t("retireAction")}
          isDanger
          change={change}
          onSubmit={() => change.mutate({ keyId: id })}
          onClose={() => {
            setAsked(false);
            button.current?.focus();
          }}
        >
          <Text size="sm">{t("retireText", { lastFour, oldLastFour })}</Text>
        </FormDialog>
      )}
    </>
  );
}
