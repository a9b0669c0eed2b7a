import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { PendingSwitch } from "../../_components/fields/pending-switch";
import type { AccountKey } from "../account";

/** Switches an account's key on or off. */
export function KeySwitch({ accountId, accountKey }: { accountId: string; accountKey: AccountKey }) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const { id: keyId, name, status } = accountKey;
  const { mutate, isPending } = useMutation(
    useTRPC().accounts.keys.setStatus.mutationOptions({
      onSuccess: (_data, change) => {
        const message = t(change.status === "active" ? "keyEnabled" : "keyDisabled", { name });
        notifications.show({ color: "green", message });
      },
    }),
  );
  return (
    <PendingSwitch
      isOn={status === "active"}
      isPending={isPending}
      label={common(status)}
      aria-label={t("keySwitch", { name })}
      onSwitch={(isOn) => mutate({ accountId, keyId, status: isOn ? "active" : "disabled" })}
    />
  );
}
