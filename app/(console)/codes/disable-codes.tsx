import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { ConfirmByName } from "../_forms/confirm-by-name";
import type { CodeBatch } from "./code-batch";

type Props = { batch: CodeBatch; onClose: () => void };

export function DisableCodes({ batch: { id, name, codes, redeemed }, onClose }: Props) {
  const t = useTranslations("codes");
  const { mutate, isPending } = useMutation(
    useTRPC().codes.disable.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: t("disabledNotice", { name }), role: "status" });
        onClose();
        // The button that had the focus disappears.
        document.getElementById("content")?.focus();
      },
    }),
  );
  return (
    <ConfirmByName
      title={t("disableTitle")}
      name={name}
      action={t("disableAction")}
      isBusy={isPending}
      onConfirm={() => mutate({ batchId: id })}
      onClose={onClose}
    >
      {t("disableText", { count: codes - redeemed })}
    </ConfirmByName>
  );
}
