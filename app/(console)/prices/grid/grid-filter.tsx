import { Group, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { ChoiceSelect } from "../../_components/fields/choice-select";
import { type GridShow, gridShows } from "./grid-draft";

export type Filter = { search: string; show: GridShow };
type Props = { value: Filter; onChange: (filter: Filter) => void; children: ReactNode };

/** Filters the grid. `children`: the actions on the rows shown. */
export function GridFilter({ value, onChange, children }: Props) {
  const t = useTranslations("prices");
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        flex="1 1 11rem"
        maw={360}
        label={t("search")}
        maxLength={100}
        value={value.search}
        onChange={({ currentTarget }) => onChange({ ...value, search: currentTarget.value })}
      />
      <ChoiceSelect
        w={160}
        label={t("show")}
        choices={gridShows}
        nameOf={(show) => t(`gridShows.${show}`)}
        value={value.show}
        onChange={(show) => onChange({ ...value, show: show ?? "all" })}
      />
      {children}
    </Group>
  );
}
