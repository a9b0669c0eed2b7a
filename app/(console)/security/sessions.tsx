import { Button, Group } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/card";
import { onDemand } from "../_components/on-demand";

const SignOutDialog = onDemand(() => import("./sign-out-dialog").then((module) => module.SignOutDialog));

export function Sessions() {
  const t = useTranslations("security");
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title={t("sessionsTitle")} text={t("sessionsText")}>
      <Group>
        <Button
          variant="default"
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t("signOutEverywhere")}
        </Button>
      </Group>
      {isAsking && <SignOutDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}
