import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { Permitted } from "../_components/shell/viewer";
import { FailureAlert } from "../_forms/failure-alert";
import { SaveBar } from "../_forms/save-bar";
import { useDraft } from "../_forms/use-draft";
import { AboutFields } from "./about-fields";
import { noProblems, problemsOf } from "./draft-problems";
import { editOf, modelOf } from "./draft-terms";
import { withoutUnknown } from "./fact-draft";
import { FactFields } from "./fact-fields";
import type { ModelDraft } from "./model-draft";
import { PricePreview } from "./price-preview";
import { TokenPrices } from "./token-prices";
import { UnitPrices } from "./unit-prices";
import { VideoGrid } from "./video-grid";

type Props = {
  /** The values that the form begins with. */
  before: ModelDraft;
  isNew: boolean;
  /** Called after everything on the page has been loaded again. */
  onSaved: () => void;
};

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
      ? create.mutate(withoutUnknown(modelOf(draft)), {
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
  const { save, isPending, error } = useSave(props);
  const { form, isRight, isRefused, reset, draft, onChange, problems } = useDraft(before, {
    problemsOf: (typed) => problemsOf(typed, isNew),
    none: noProblems,
    send: save,
  });
  const isEdited = !isRight || Object.keys(editOf(draft, before)).length > 0;
  const fields = { draft, onChange, problems };
  return (
    <form {...form}>
      <Stack>
        <AboutFields {...fields} isNew={isNew} />
        {draft.kind === "video" ? (
          <VideoGrid {...fields} before={before} />
        ) : (
          <>
            <TokenPrices {...fields} />
            {draft.kind !== "embedding" && <UnitPrices {...fields} />}
          </>
        )}
        <FactFields {...fields} isNew={isNew} />
        <Permitted to="prices.write">
          <PricePreview draft={draft} before={isNew ? null : before} />
          <FailureAlert problem={isRefused ? common("fixFirst") : null} error={error} />
          {(isNew || isEdited) && (
            <SaveBar
              create={isNew ? t("createAction") : undefined}
              isChanged={isEdited}
              isBusy={isPending}
              onUndo={() => reset(before)}
            />
          )}
        </Permitted>
      </Stack>
    </form>
  );
}
