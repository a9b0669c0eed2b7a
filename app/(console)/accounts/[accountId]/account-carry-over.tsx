import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { PendingSwitch } from "../../_components/fields/pending-switch";
import { useMay } from "../../_components/shell/viewer";
import type { Account } from "../account";

/** The switch for carrying unspent top-ups over to the next month. */
export function AccountCarryOver({ account: { id: accountId, carriesTopups } }: { account: Account }) {
  const t = useTranslations("accounts");
  const { mutate, isPending } = useMutation(useTRPC().accounts.setCarriesTopups.mutationOptions());
  return (
    <Card title={t("carriesTopups")}>
      <PendingSwitch
        isOn={carriesTopups}
        isPending={isPending}
        disabled={!useMay("money.write")}
        label={t("carriesTopupsSwitch")}
        onSwitch={(isOn) => mutate({ accountId, carriesTopups: isOn })}
      />
      <Text size="sm" c="dimmed" maw={620}>
        {t(carriesTopups ? "carriesTopupsOn" : "carriesTopupsOff")}
      </Text>
    </Card>
  );
}
