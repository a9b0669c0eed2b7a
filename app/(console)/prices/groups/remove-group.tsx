import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { FormDialog } from "../../_forms/form-dialog";
import type { PriceGroup } from "./price-group";

type Props = { group: PriceGroup; onClose: () => void };

/** Removes a group. A group with accounts cannot be removed, and the dialog says so at once. */
export function RemoveGroup({ group: { id, name, accounts }, onClose }: Props) {
  const t = useTranslations("priceGroups");
  const refusals = useTranslations("refusals");
  const change = useMutation(
    useTRPC().prices.removeGroup.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => {
        notifications.show({ message: t("removedNotice", { name }), role: "status" });
        onClose();
        // The group's menu disappears.
        document.getElementById("content")?.focus();
      },
    }),
  );
  return (
    <FormDialog
      title={t("removeTitle", { name })}
      action={t("removeAction")}
      isDanger
      isReady={accounts === 0}
      change={change}
      onSubmit={() => change.mutate({ priceGroupId: id })}
      onClose={onClose}
    >
      <Text size="sm">{accounts === 0 ? t("removeText") : refusals("priceGroupInUse", { name })}</Text>
    </FormDialog>
  );
}
