"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useSignOut } from "@/app/(console)/_components/shell/use-sign-out";
import { Dimmed } from "@/app/(console)/_components/tables/dimmed";
import { addresses } from "@/app/addresses";
import { PasswordForm } from "../(console)/security/password-form";

export function ForcedChange({ own }: { own: { email: string; hasTotp: boolean } }) {
  const t = useTranslations("setPassword");
  const security = useTranslations("security");
  const signOut = useSignOut();
  return (
    <Stack>
      <Text size="sm">{t("mustChangeText")}</Text>
      <Dimmed>{security(own.hasTotp ? "passwordTextTotp" : "passwordText")}</Dimmed>
      <PasswordForm own={own} onChanged={() => window.location.replace(addresses.overview())} />
      <Button variant="subtle" onClick={() => void signOut()}>
        {t("signOut")}
      </Button>
    </Stack>
  );
}
