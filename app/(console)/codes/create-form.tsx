import { SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { useInstallation } from "../_components/text/installation";
import { FormEnd } from "../_forms/form-end";
import { useDraft } from "../_forms/use-draft";
import type { NewCodes } from "./code-batch";
import { type CodesDraft, emptyDraft, MOST_CODES, problemsOf, termsOf } from "./codes-draft";

type Props = { onCreated: (batch: NewCodes) => void; onCancel: () => void };

export function CreateForm({ onCreated, onCancel }: Props) {
  const t = useTranslations("codes");
  const { currency } = useInstallation();
  const change = useMutation(
    useTRPC().codes.create.mutationOptions({ meta: { showsFailure: true }, onSuccess: onCreated }),
  );
  const { form, draft, problems, onChange } = useDraft(emptyDraft, {
    problemsOf: (typed: CodesDraft) => problemsOf(typed),
    none: {},
    send: (typed) => change.mutate(termsOf(typed)),
  });
  const field = (name: keyof CodesDraft) => ({
    autoComplete: "off",
    inputWrapperOrder: ["label" as const, "input" as const, "description" as const, "error" as const],
    value: draft[name],
    error: problems[name] && t(problems[name], { most: MOST_CODES }),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange({ ...draft, [name]: currentTarget.value }),
  });
  return (
    <form {...form}>
      <Stack>
        <TextInput
          {...field("name")}
          data-autofocus
          required
          label={t("name")}
          description={t("nameHint")}
          placeholder={t("namePlaceholder")}
          maxLength={100}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            {...field("amount")}
            required
            label={t("amount")}
            description={t("amountHint", { currency })}
            inputMode="decimal"
            maxLength={30}
          />
          <TextInput {...field("count")} required label={t("count")} inputMode="numeric" maxLength={4} />
        </SimpleGrid>
        <TextInput {...field("expiry")} type="date" label={t("expiry")} description={t("expiryHint")} />
        <FormEnd action={t("createAction")} change={change} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
