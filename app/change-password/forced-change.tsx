"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useSignOut } from "../(console)/_components/use-sign-out";
import { ChangePassword } from "../(console)/security/change-password";

export function ForcedChange({ own }: { own: { email: string; hasTotp: boolean } }) {
  const t = useTranslations("setPassword");
  const signOut = useSignOut();
  return (
    <Stack>
      <Text size="sm">{t("mustChangeText")}</Text>
      <ChangePassword own={own} onChanged={() => window.location.replace("/")} />
      <Button variant="subtle" onClick={() => void signOut()}>
        {t("signOut")}
      </Button>
    </Stack>
  );
}
