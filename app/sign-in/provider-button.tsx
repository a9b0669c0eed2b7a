"use client";

import { Button, Divider, Stack } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { signIn } from "next-auth/react";
import { useState } from "react";
import { useTranslations } from "use-intl";

/** Opens the provider's page, which leads back to `to`. */
export function ProviderButton({ name, to }: { name: string; to: string }) {
  const t = useTranslations("signIn");
  const [isBusy, setBusy] = useState(false);
  const leave = () => {
    setBusy(true);
    void signIn("oidc", { callbackUrl: to }).catch(() => setBusy(false));
  };
  return (
    <Stack mt="md">
      <Divider label={t("orProvider")} />
      <Button
        variant="default"
        fullWidth
        loading={isBusy}
        leftSection={<IconLogin2 size={16} aria-hidden />}
        onClick={leave}
      >
        {t("byProvider", { name })}
      </Button>
    </Stack>
  );
}
