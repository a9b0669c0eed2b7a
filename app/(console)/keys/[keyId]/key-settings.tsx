"use client";

import { Paper, Stack, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/trpc";
import type { KeyDetail } from "../key";
import { draftOf, termsOf } from "../key-draft";
import { KeyFields } from "../key-fields";
import { Refused } from "../refused";
import { useKeyDraft } from "../use-key-draft";
import { SaveBar } from "./save-bar";

export function KeySettings({ entry, models }: { entry: KeyDetail; models: string[] }) {
  const t = useTranslations("keys");
  const trpc = useTRPC();
  const { form, draft, problems, change, reset, check } = useKeyDraft(draftOf(entry));
  const { mutate, isPending, error } = useMutation(
    trpc.keys.update.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: (saved) => {
        reset(draftOf(saved));
        notifications.show({ message: t("savedNotice"), role: "status" });
      },
    }),
  );
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(entry));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (check()) {
      mutate({ ...termsOf(draft, Date.now()), keyId: entry.id });
    }
  };
  return (
    <Paper withBorder p="md" component="section">
      <form ref={form} onSubmit={submit} noValidate>
        <Stack>
          <Title order={2} size="h4">
            {t("settings")}
          </Title>
          <KeyFields
            draft={draft}
            problems={problems}
            models={models}
            expiresAt={entry.expiresAt}
            onChange={change}
          />
          <Refused error={error} />
          <SaveBar isChanged={isChanged} isReady isBusy={isPending} onReset={() => reset(draftOf(entry))} />
        </Stack>
      </form>
    </Paper>
  );
}
