"use client";

import { Paper, Stack, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/trpc";
import { AllowListEditor } from "../allow-list/allow-list-editor";
import { useAllowList } from "../allow-list/use-allow-list";
import type { KeyDetail } from "../key";
import { Refused } from "../refused";
import { SaveBar } from "./save-bar";

export function KeyAddresses({ entry, here }: { entry: KeyDetail; here: string | null | undefined }) {
  const t = useTranslations("keys");
  const allowList = useTranslations("allowList");
  const trpc = useTRPC();
  const list = useAllowList(entry.allowedIps);
  const show = (rules: string[]) => list.edit({ type: "replace", texts: rules });
  const { mutate, isPending, error } = useMutation(
    trpc.keys.update.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ allowedIps }) => {
        show(allowedIps);
        notifications.show({ message: t("savedNotice"), role: "status" });
      },
    }),
  );
  const isChanged = list.rows.map(({ text }) => text).join("\n") !== entry.allowedIps.join("\n");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (list.isReady) {
      mutate({ keyId: entry.id, allowedIps: list.stored });
    }
  };
  return (
    <Paper withBorder p="md" component="section">
      <form onSubmit={submit} noValidate>
        <Stack>
          <div>
            <Title order={2} size="h4">
              {allowList("title")}
            </Title>
            <Text size="sm" c="dimmed">
              {allowList("lead")}
            </Text>
          </div>
          <AllowListEditor list={list} lastAddress={entry.lastAddress} here={here} />
          <Refused error={error} />
          <SaveBar
            isChanged={isChanged}
            isReady={list.isReady}
            isBusy={isPending}
            onReset={() => show(entry.allowedIps)}
          />
        </Stack>
      </form>
    </Paper>
  );
}
