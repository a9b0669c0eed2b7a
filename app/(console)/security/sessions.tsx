"use client";

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/trpc";
import { Card, Refused } from "./form-card";
import { leaveToSignIn } from "./security";

export function Sessions() {
  const t = useTranslations("security");
  const common = useTranslations("common");
  const [isAsking, setAsking] = useState(false);
  const signOut = useMutation(
    useTRPC().security.signOutEverywhere.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => leaveToSignIn("signedOutEverywhere"),
    }),
  );
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
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={t("signOutEverywhere")}>
        <Stack>
          <Text size="sm">{t("signOutConfirmText")}</Text>
          <Refused error={signOut.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)}>
              {common("cancel")}
            </Button>
            <Button color="red" loading={signOut.isPending} onClick={() => signOut.mutate()}>
              {t("signOutEverywhere")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Card>
  );
}
