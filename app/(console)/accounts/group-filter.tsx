import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { beside } from "../_components/shell/stale-note";

type Props = { value: string; onChange: (groupId: string | null) => void };

/** Filters accounts by price group, for links from the list of groups. */
export function GroupFilter({ value, onChange }: Props) {
  const t = useTranslations("priceGroups");
  const { data: groups = [] } = useQuery(useTRPC().prices.groups.queryOptions({}, beside));
  const names = new Map([[value, value], ...groups.map(({ id, name }) => [id, name] as const)]);
  return (
    <ChoiceSelect
      w={200}
      label={t("group")}
      any={t("anyGroup")}
      choices={[...names.keys()]}
      nameOf={(id) => names.get(id) ?? id}
      value={value}
      onChange={onChange}
    />
  );
}
