"use client";

import { Alert, Anchor, Button, Stack, Text } from "@mantine/core";
import { IconBellOff } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { useTRPC } from "../(console)/_components/data/trpc";
import { FailureAlert } from "../(console)/_forms/failure-alert";
import { addresses } from "../addresses";

/** Ends all alerts by e-mail of the person that the token names. */
export function LeaveAlerts({ token }: { token: string }) {
  const t = useTranslations("unsubscribe");
  const { mutate, data, error, isPending } = useMutation(
    useTRPC().links.unsubscribe.mutationOptions({ meta: { showsFailure: true } }),
  );
  return (
    <Stack>
      {data ? (
        <Alert role="status" icon={<IconBellOff aria-hidden />} title={t("doneTitle")}>
          <Text size="sm" className="wrap-anywhere">
            {t("doneText", data)}
          </Text>
        </Alert>
      ) : (
        <>
          <Text size="sm">{t("text")}</Text>
          <FailureAlert problem={null} error={error} />
          <Button loading={isPending} fullWidth onClick={() => mutate({ token })}>
            {t("submit")}
          </Button>
        </>
      )}
      <Text size="sm" ta="center">
        <Anchor component={Link} href={addresses.notifications()} inherit>
          {t("choose")}
        </Anchor>
      </Text>
    </Stack>
  );
}
