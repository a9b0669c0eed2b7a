"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { leave } from "../(console)/_components/user-menu";
import { ChangePassword } from "../(console)/security/change-password";

export function ForcedChange({ own }: { own: { email: string; hasTotp: boolean } }) {
  const t = useTranslations("setPassword");
  return (
    <Stack>
      <Text size="sm">{t("mustChangeText")}</Text>
      <ChangePassword own={own} onChanged={() => window.location.replace("/")} />
      <Button variant="subtle" onClick={() => void leave()}>
        {t("signOut")}
      </Button>
    </Stack>
  );
}
