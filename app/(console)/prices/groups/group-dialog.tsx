import { Modal, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { FormEnd } from "../../_forms/form-end";
import { useDraft } from "../../_forms/use-draft";
import { FactorRows } from "./factor-rows";
import { draftOf, editOf, type GroupDraft, noProblems, problemsOf, termsOf } from "./group-draft";
import type { PriceGroup } from "./price-group";

type Props = {
  /** null: a new group. */
  group: PriceGroup | null;
  onClose: () => void;
};

/** The mutation that saves the draft: it creates a new group or updates an existing one. */
function useSaved({ group, onClose }: Props) {
  const t = useTranslations("priceGroups");
  const { prices } = useTRPC();
  const optionsFor = (kind: "createdNotice" | "savedNotice") => ({
    meta: { showsFailure: true },
    onSuccess: ({ name }: { name: string }) => {
      notifications.show({ message: t(kind, { name }), role: "status" });
      onClose();
    },
  });
  const making = useMutation(prices.createGroup.mutationOptions(optionsFor("createdNotice")));
  const changing = useMutation(prices.updateGroup.mutationOptions(optionsFor("savedNotice")));
  return {
    change: group ? changing : making,
    send: (draft: GroupDraft) =>
      group
        ? changing.mutate({ priceGroupId: group.id, ...editOf(draft, draftOf(group)) })
        : making.mutate(termsOf(draft)),
  };
}

export function GroupDialog({ group, onClose }: Props) {
  const t = useTranslations("priceGroups");
  const common = useTranslations("common");
  const { change, send } = useSaved({ group, onClose });
  const { form, draft, problems, onChange } = useDraft(draftOf(group), {
    problemsOf,
    none: noProblems,
    send,
  });
  const field = (name: "name" | "factor") => ({
    autoComplete: "off",
    inputWrapperOrder: ["label" as const, "input" as const, "description" as const, "error" as const],
    value: draft[name],
    error: problems[name] && t(problems[name]),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange({ ...draft, [name]: currentTarget.value }),
  });
  return (
    <Modal
      opened
      size="lg"
      closeOnClickOutside={false}
      title={group ? t("editTitle", { name: group.name }) : t("create")}
      onClose={onClose}
    >
      <form {...form} method="post">
        <Stack>
          <TextInput
            {...field("name")}
            data-autofocus
            required
            label={t("name")}
            placeholder={t("namePlaceholder")}
            maxLength={100}
          />
          <TextInput
            {...field("factor")}
            required
            label={t("factor")}
            description={t("factorHint")}
            placeholder="0.8"
            inputMode="decimal"
            maxLength={12}
          />
          <FactorRows
            rows={draft.models}
            problems={problems.models}
            onChange={(models) => onChange({ ...draft, models })}
          />
          <FormEnd action={group ? common("save") : t("create")} change={change} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
