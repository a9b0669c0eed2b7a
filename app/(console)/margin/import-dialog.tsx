import { NativeSelect, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { ChannelSelect } from "../_components/fields/lazy-selects";
import { optionalQuery } from "../_components/shell/stale-note";
import { useMay } from "../_components/shell/viewer";
import { FormDialog } from "../_forms/form-dialog";
import { LIST } from "./cost-draft";

type Props = {
  /** The channel whose costs are set; absent: the dialog asks. */
  channel?: { id: string };
  onClose: () => void;
};

const trimmed = (text: string) => (text.trim() === "" ? undefined : text.trim());

/** Sets a channel's cost prices to its vendor's list prices or to another channel's costs, times a factor. */
export function ImportDialog({ channel, onClose }: Props) {
  const t = useTranslations("margin");
  const { prices, channels } = useTRPC();
  const seesChannels = useMay("channels.read");
  const { data: others = [] } = useQuery({
    ...channels.list.queryOptions({}, optionalQuery),
    enabled: seesChannels,
  });
  const [draft, setDraft] = useState({ channelId: channel?.id ?? "", from: LIST, factor: "1", rate: "" });
  const meta = { showsFailure: true };
  const done = (message: string) => {
    notifications.show({ color: "green", message, role: "status" });
    onClose();
  };
  const fromList = useMutation(
    prices.importCosts.mutationOptions({
      meta,
      onSuccess: ({ models, notListed }) =>
        done(t("importedNotice", { count: models.length, left: notListed.length })),
    }),
  );
  const fromChannel = useMutation(
    prices.copyCosts.mutationOptions({
      meta,
      onSuccess: ({ models, from }) => done(t("copiedNotice", { count: models.length, channel: from })),
    }),
  );
  const isList = draft.from === LIST;
  const submit = () => {
    const { channelId, from } = draft;
    const factor = trimmed(draft.factor);
    return isList
      ? fromList.mutate({ channelId, factor, rate: trimmed(draft.rate) })
      : fromChannel.mutate({ channelId, from, factor });
  };
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
      change={isList ? fromList : fromChannel}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t("importText")}</Text>
      {!channel && (
        <ChannelSelect
          value={draft.channelId || null}
          onChange={(channelId) => setDraft({ ...draft, channelId: channelId ?? "" })}
        />
      )}
      <NativeSelect
        label={t("fillFrom")}
        value={draft.from}
        onChange={({ currentTarget }) => setDraft({ ...draft, from: currentTarget.value })}
        data={[
          { value: LIST, label: t("listPrice") },
          ...others
            .filter(({ id }) => id !== draft.channelId)
            .map(({ id, name }) => ({ value: id, label: t("sameAs", { channel: name }) })),
        ]}
      />
      {field("factor")}
      {isList && field("rate")}
    </FormDialog>
  );
}
