"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { FormTrouble } from "../_components/form-trouble";
import { useTRPC } from "../_components/trpc";
import { ForChangers } from "../_components/viewer";
import { AboutFields } from "./about-fields";
import { type DraftProblems, editOf, hasProblems, type ModelDraft, modelOf, problemsOf } from "./model-draft";
import { PricePreview } from "./price-preview";
import { TokenPrices } from "./token-prices";
import { VideoGrid } from "./video-grid";

type Props = {
  /** What the form begins with. */
  before: ModelDraft;
  isNew: boolean;
  /** Everything on the page has been loaded again by then. */
  onSaved: () => void;
};

const noProblems: DraftProblems = { prices: {}, videoPrices: new Map() };

function useSave({ before, isNew, onSaved }: Props) {
  const t = useTranslations("prices");
  const { prices } = useTRPC();
  const meta = { showsFailure: true };
  const create = useMutation(prices.create.mutationOptions({ meta }));
  const update = useMutation(prices.update.mutationOptions({ meta }));
  const saved = (message: string) => {
    notifications.show({ message, role: "status" });
    onSaved();
  };
  const save = (draft: ModelDraft) =>
    isNew
      ? create.mutate(modelOf(draft), {
          onSuccess: () => saved(t("createdNotice", { name: draft.id.trim() })),
        })
      : update.mutate(
          { id: before.id, ...editOf(draft, before) },
          { onSuccess: () => saved(t("savedNotice")) },
        );
  return { save, isPending: create.isPending || update.isPending, error: create.error ?? update.error };
}

export function ModelEditor(props: Props) {
  const { before, isNew } = props;
  const t = useTranslations("prices");
  const common = useTranslations("common");
  const [draft, setDraft] = useState(before);
  const [isChecked, setChecked] = useState(false);
  const { save, isPending, error } = useSave(props);
  const problems = problemsOf(draft);
  const isEdited = !isNew && (hasProblems(problems) || Object.keys(editOf(draft, before)).length > 0);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!hasProblems(problems)) {
      save(draft);
    }
  };
  const fields = { draft, onChange: setDraft, problems: isChecked ? problems : noProblems };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <AboutFields {...fields} isNew={isNew} />
        {draft.kind === "video" ? <VideoGrid {...fields} before={before} /> : <TokenPrices {...fields} />}
        <ForChangers>
          <PricePreview draft={draft} before={isNew ? null : before} />
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
            <Button type="submit" loading={isPending} disabled={!isNew && !isEdited}>
              {isNew ? t("createAction") : common("save")}
            </Button>
          </Group>
        </ForChangers>
      </Stack>
    </form>
  );
}
