import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { FailureAlert } from "../../_forms/failure-alert";
import { SaveBar } from "../../_forms/save-bar";
import { useDraft } from "../../_forms/use-draft";
import type { KeyDetail } from "../key";
import { draftOf, problemsOf, termsOf } from "../key-draft";
import { KeyFields } from "../key-fields";

export function KeySettings({ entry, models }: { entry: KeyDetail; models: string[] }) {
  const t = useTranslations("keys");
  const trpc = useTRPC();
  const { mutate, isPending, error } = useMutation(
    trpc.keys.update.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: (saved) => {
        reset(draftOf(saved));
        notifications.show({ message: t("savedNotice"), role: "status" });
      },
    }),
  );
  const { form, draft, problems, onChange, reset } = useDraft(draftOf(entry), {
    problemsOf,
    none: {},
    send: (typed) => mutate({ ...termsOf(typed, Date.now()), keyId: entry.id }),
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(entry));
  return (
    <Card title={t("settings")}>
      <form {...form}>
        <Stack>
          <KeyFields
            draft={draft}
            problems={problems}
            models={models}
            expiresAt={entry.expiresAt}
            onChange={onChange}
          />
          <FailureAlert error={error} />
          <SaveBar isChanged={isChanged} isBusy={isPending} onUndo={() => reset(draftOf(entry))} />
        </Stack>
      </form>
    </Card>
  );
}
