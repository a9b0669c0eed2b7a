import { Stack, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { optionalQuery } from "../_components/shell/stale-note";
import { Dimmed } from "../_components/tables/dimmed";
import { FormEnd } from "../_forms/form-end";
import { useDraft } from "../_forms/use-draft";
import { AllowListEditor } from "./allow-list/allow-list-editor";
import { useAllowList } from "./allow-list/use-allow-list";
import type { NewKey } from "./key";
import { emptyDraft, problemsOf, termsOf } from "./key-draft";
import { KeyFields } from "./key-fields";

type Props = { onCreated: (key: NewKey) => void; onCancel: () => void };

const NO_RULES: string[] = [];

export function CreateForm({ onCreated, onCancel }: Props) {
  const t = useTranslations("keys");
  const allowList = useTranslations("allowList");
  const trpc = useTRPC();
  const { data: choices } = useQuery(trpc.keys.choices.queryOptions(undefined, optionalQuery));
  const list = useAllowList(NO_RULES);
  const creation = useMutation(
    trpc.keys.create.mutationOptions({ meta: { showsFailure: true }, onSuccess: onCreated }),
  );
  const { form, draft, problems, onChange } = useDraft(emptyDraft, {
    problemsOf,
    none: {},
    send: (typed) =>
      list.isReady && creation.mutate({ ...termsOf(typed, Date.now()), allowedIps: list.stored }),
  });
  return (
    <form {...form}>
      <Stack>
        <KeyFields
          draft={draft}
          problems={problems}
          models={choices?.models.map(({ id }) => id) ?? []}
          expiresAt={null}
          addresses={
            <section>
              <Title order={3} size="sm">
                {allowList("title")}
              </Title>
              <Dimmed mb="xs">{allowList("lead")}</Dimmed>
              <AllowListEditor list={list} lastAddress={null} here={choices?.address} />
            </section>
          }
          hasWrongAddress={!list.isReady}
          onChange={onChange}
        />
        <FormEnd action={t("createAction")} isReady={list.isReady} change={creation} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
