import { Autocomplete, ComboboxChevron } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../data/trpc";
import { optionalQuery } from "../shell/stale-note";

type Props = {
  /** The models on offer: those on sale to an owner, or all. */
  side: "owner" | "operator";
  value: string | null;
  onChange: (modelId: string | null) => void;
};

/** The number of models offered at once; typing finds the others in a long catalog. */
const MAX_OFFERED = 50;

/**
 * Finds a model by a part of its name. Calls may name a model that does not exist, so any typed name is accepted too.
 */
function Field({ side, value, onChange }: Props) {
  const t = useTranslations("requests");
  const trpc = useTRPC();
  const isOwner = side === "owner";
  const [typed, setTyped] = useState(value ?? "");
  const own = useQuery({ ...trpc.models.list.queryOptions({}, optionalQuery), enabled: isOwner });
  const all = useQuery({ ...trpc.prices.list.queryOptions({}, optionalQuery), enabled: !isOwner });
  const models = isOwner ? own.data : all.data?.models;
  const apply = (text: string) => onChange(text.trim() || null);
  return (
    <Autocomplete
      label={t("model")}
      placeholder={t("modelPlaceholder")}
      maxLength={200}
      limit={MAX_OFFERED}
      clearable
      rightSection={<ComboboxChevron />}
      rightSectionPointerEvents="none"
      data={(models ?? []).map(({ id }) => id)}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={apply}
      onClear={() => onChange(null)}
      onBlur={() => apply(typed)}
      onKeyDown={({ key }) => key === "Enter" && apply(typed)}
    />
  );
}

export const ModelFilter = (props: Props) => <Field key={props.value} {...props} />;
