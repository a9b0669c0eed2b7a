import { Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { ChannelSelect } from "../_components/fields/lazy-selects";
import { FormDialog } from "../_forms/form-dialog";

/** Sets a channel's cost prices from its vendor's public list, times the factor that the operator pays. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("margin");
  const [draft, setDraft] = useState({ channelId: "", factor: "1", rate: "" });
  const change = useMutation(
    useTRPC().prices.importCosts.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ models, notListed }) => {
        const message = t("importedNotice", { count: models.length, left: notListed.length });
        notifications.show({ color: "green", message, role: "status" });
        onClose();
      },
    }),
  );
  const trimmed = (text: string) => (text.trim() === "" ? undefined : text.trim());
  const field = (member: "factor" | "rate") => (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      maxLength={20}
      label={t(member)}
      description={t(`${member}Hint`)}
      inputWrapperOrder={["label", "input", "description"]}
      value={draft[member]}
      onChange={({ currentTarget }) => setDraft({ ...draft, [member]: currentTarget.value })}
    />
  );
  return (
    <FormDialog
      title={t("importTitle")}
      action={t("importAction")}
      isReady={draft.channelId !== ""}
      change={change}
      onSubmit={() =>
        change.mutate({
          channelId: draft.channelId,
          factor: trimmed(draft.factor),
          rate: trimmed(draft.rate),
        })
      }
      onClose={onClose}
    >
      <Text size="sm">{t("importText")}</Text>
      <ChannelSelect
        value={draft.channelId || null}
        onChange={(channelId) => setDraft({ ...draft, channelId: channelId ?? "" })}
      />
      {field("factor")}
      {field("rate")}
    </FormDialog>
  );
}
