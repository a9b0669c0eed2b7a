import { Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { PendingSwitch } from "../fields/pending-switch";
import { Card } from "./card";

type Props = { isOn: boolean; isPending: boolean; mayChange: boolean; onSwitch: (isOn: boolean) => void };

/** The switch for keeping the account's answers of the Responses API. */
export function KeptResponses({ isOn, isPending, mayChange, onSwitch }: Props) {
  const t = useTranslations("accounts");
  return (
    <Card title={t("storesResponses")}>
      <PendingSwitch
        isOn={isOn}
        isPending={isPending}
        disabled={!mayChange}
        label={t("storesResponsesSwitch")}
        onSwitch={onSwitch}
      />
      <Text size="sm" c="dimmed" maw={620}>
        {t(isOn ? "storesResponsesOn" : "storesResponsesOff")}
      </Text>
    </Card>
  );
}
