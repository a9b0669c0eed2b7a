"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { FormTrouble } from "../_components/form-trouble";
import { useTRPC } from "../_components/trpc";
import { ForChangers } from "../_components/viewer";
import type { ChannelChoices, ChannelDetail } from "./channel";
import {
  type ChannelDraft,
  channelOf,
  type DraftProblems,
  draftOf,
  editOf,
  emptyDraft,
  hasProblems,
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
  /** null: a new one. */
  channel: ChannelDetail | null;
  choices: ChannelChoices;
  /** Everything on the page has been loaded again by then. */
  onSaved: () => void;
};

const noProblems: DraftProblems = { credentials: new Map(), models: new Map() };

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

/**
 * What a test can be made of: unsaved settings only with a credential that was typed, for stored ones cannot be read.
 */
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
  const [before] = useState(() => (channel ? draftOf(channel) : emptyDraft()));
  const [draft, setDraft] = useState(before);
  const [isChecked, setChecked] = useState(false);
  const { save, isPending, error } = useSave(channel, onSaved);
  const problems = problemsOf(draft);
  const isEdited = channel !== null && Object.keys(editOf(draft, before)).length > 0;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!hasProblems(problems)) {
      save(draft, before);
    }
  };
  const fields = { draft, onChange: setDraft, problems: isChecked ? problems : noProblems };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <EndpointFields {...fields} vendors={choices.vendors} isNew={channel === null} />
        {draft.dialect !== "sandbox" && (
          <CredentialFields {...fields} wantsNew={channel !== null && wantsNewCredentials(draft, channel)} />
        )}
        <ModelFields {...fields} known={choices.models} stored={channel?.models ?? []} />
        <TrafficFields {...fields} />
        <ForChangers>
          <TestPanel subject={subjectOf(channel, draft, isEdited)} />
          <FormTrouble problem={isChecked && hasProblems(problems) ? t("fixFirst") : null} error={error} />
          <Group justify="flex-end">
            {isEdited && (
              <>
                <Text size="sm">{t("unsaved")}</Text>
                <Button variant="default" onClick={() => setDraft(before)}>
                  {t("undo")}
                </Button>
              </>
            )}
            <SaveButton isNew={channel === null} isEdited={isEdited} isPending={isPending} />
          </Group>
        </ForChangers>
      </Stack>
    </form>
  );
}

function SaveButton(props: { isNew: boolean; isEdited: boolean; isPending: boolean }) {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  return (
    <Button type="submit" loading={props.isPending} disabled={!props.isNew && !props.isEdited}>
      {props.isNew ? t("createAction") : common("save")}
    </Button>
  );
}
