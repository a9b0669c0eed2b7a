import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { FailureAlert } from "../../_forms/failure-alert";
import { SaveBar } from "../../_forms/save-bar";
import { AllowListEditor } from "../allow-list/allow-list-editor";
import { useAllowList } from "../allow-list/use-allow-list";
import type { KeyDetail } from "../key";

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
    <Card title={allowList("title")} text={allowList("lead")}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <AllowListEditor list={list} lastAddress={entry.lastAddress} here={here} />
          <FailureAlert error={error} />
          <SaveBar
            isChanged={isChanged}
            isReady={list.isReady}
            isBusy={isPending}
            onUndo={() => show(entry.allowedIps)}
          />
        </Stack>
      </form>
    </Card>
  );
}
