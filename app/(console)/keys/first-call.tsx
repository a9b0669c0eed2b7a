import { Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { optionalQuery } from "../_components/shell/stale-note";
import { Snippets } from "../_components/snippets/snippets";
import type { NewKey } from "./key";

/** Example code for a model that the key may use; nothing if there is no model. */
export function FirstCall({ created: { models, secret } }: { created: NewKey }) {
  const t = useTranslations("keys");
  const { data: choices } = useQuery(useTRPC().keys.choices.queryOptions(undefined, optionalQuery));
  const usable = choices?.models.filter(({ id }) => models.length === 0 || models.includes(id)) ?? [];
  const model = usable.find(({ kind }) => kind === "chat") ?? usable[0];
  if (!model) {
    return null;
  }
  return (
    <section>
      <Title order={3} size="h5" mb="xs">
        {t("snippetsTitle")}
      </Title>
      <Snippets secret={secret} model={model.id} kind={model.kind} />
    </section>
  );
}
