import { Button, Group } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/card";
import { piece } from "../_components/piece";

const SignOutDialog = dynamic(
  piece(() => import("./sign-out-dialog").then((module) => module.SignOutDialog)),
  {
    ssr: false,
  },
);

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
