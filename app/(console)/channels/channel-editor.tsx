import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { Permitted } from "../_components/shell/viewer";
import { FailureAlert } from "../_forms/failure-alert";
import { hasProblems } from "../_forms/problems";
import { SaveBar } from "../_forms/save-bar";
import { useDraft } from "../_forms/use-draft";
import type { ChannelChoices, ChannelDetail } from "./channel";
import {
  type ChannelDraft,
  channelOf,
  draftOf,
  editOf,
  emptyDraft,
  noProblems,
  problemsOf,
  secretsOf,
  wantsNewCredentials,
} from "./channel-draft";
import { CredentialFields } from "./credential-fields";
import { EndpointFields } from "./endpoint-fields";
import { ModelFields } from "./model-fields";
import { TestPanel, type TestSubject } from "./test-panel";
import { TrafficFields } from "./traffic-fields";

type Props = {
  /** null: a new channel. */
  channel: ChannelDetail | null;
  choices: ChannelChoices;
  /** Called after everything on the page has been loaded again. */
  onSaved: () => void;
};

function useSave(channel: ChannelDetail | null, onSaved: () => void) {
  const t = useTranslations("channels");
  const { channels } = useTRPC();
  const meta = { showsFailure: true };
  const create = useMutation(channels.create.mutationOptions({ meta }));
  const update = useMutation(channels.update.mutationOptions({ meta }));
  const saved = (message: string) => {
    notifications.show({ message, role: "status" });
    onSaved();
  };
  const save = (draft: ChannelDraft, before: ChannelDraft) =>
    channel
      ? update.mutate(
          { channelId: channel.id, ...editOf(draft, before) },
          { onSuccess: () => saved(t("savedNotice")) },
        )
      : create.mutate(channelOf(draft), { onSuccess: ({ name }) => saved(t("createdNotice", { name })) });
  return { save, isPending: create.isPending || update.isPending, error: create.error ?? update.error };
}

/** The settings that a test can use. Unsaved settings need a typed credential, because stored ones cannot be read. */
function subjectOf(channel: ChannelDetail | null, draft: ChannelDraft, isEdited: boolean): TestSubject {
  if (channel && (!isEdited || secretsOf(draft).length === 0)) {
    return { kind: "stored", channel, isEdited };
  }
  // A test needs no name.
  const tested = { ...draft, name: draft.name.trim() || "draft" };
  return { kind: "draft", draft: hasProblems(problemsOf(tested)) ? null : channelOf(tested) };
}

export function ChannelEditor({ channel, choices, onSaved }: Props) {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  const [before] = useState(() => (channel ? draftOf(channel) : emptyDraft()));
  const { save, isPending, error } = useSave(channel, onSaved);
  const send = (typed: ChannelDraft) => save(typed, before);
  const { form, isRefused, reset, draft, onChange, problems } = useDraft(before, {
    problemsOf,
    none: noProblems,
    send,
  });
  const isEdited = channel !== null && Object.keys(editOf(draft, before)).length > 0;
  const fields = { draft, onChange, problems };
  return (
    <form {...form}>
      <Stack>
        <EndpointFields {...fields} vendors={choices.vendors} isNew={channel === null} />
        {draft.dialect !== "sandbox" && (
          <CredentialFields {...fields} wantsNew={channel !== null && wantsNewCredentials(draft, channel)} />
        )}
        <ModelFields {...fields} catalogModels={choices.models} stored={channel?.models ?? []} />
        <TrafficFields {...fields} />
        <Permitted to="channels.write">
          <TestPanel subject={subjectOf(channel, draft, isEdited)} />
          <FailureAlert problem={isRefused ? common("fixFirst") : null} error={error} />
          <SaveBar
            create={channel ? undefined : t("createAction")}
            isChanged={isEdited}
            isBusy={isPending}
            onUndo={() => reset(before)}
          />
        </Permitted>
      </Stack>
    </form>
  );
}
