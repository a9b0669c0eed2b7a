import { Group, SegmentedControl } from "@mantine/core";
import { debounce, type useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { keyStates, sparkSpans } from "@/server/domain/enums";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { SearchField } from "../_components/fields/search-field";
import { useTableLook } from "../_components/tables/table-look-provider";
import type { KeyFilter, keyParsers } from "./key-list";

const TYPING_MS = 250;

type Props = { filter: KeyFilter; onChange: ReturnType<typeof useQueryStates<typeof keyParsers>>[1] };

export function KeyFilters({ filter, onChange }: Props) {
  const t = useTranslations("keys");
  // The span is that of a column, which the person or the window may hide.
  const spark = useTableLook().look.columns.get("keys.spark");
  return (
    <Group gap="sm" role="search" className="filters">
      <SearchField
        label={t("search")}
        value={filter.search}
        onChange={(search) => void onChange({ search }, { limitUrlUpdates: debounce(TYPING_MS) })}
      />
      <ChoiceSelect
        w={180}
        aria-label={t("status")}
        any={t("statusAny")}
        choices={keyStates}
        nameOf={(state) => t(state)}
        value={filter.status}
        onChange={(status) => void onChange({ status })}
      />
      <SegmentedControl
        className={spark === "shown" ? undefined : "from-medium"}
        display={spark === "hidden" ? "none" : undefined}
        size="xs"
        aria-label={t("span")}
        value={filter.span}
        onChange={(span) => void onChange({ span })}
        data={sparkSpans.map((value) => ({ value, label: t(`spans.${value}`) }))}
      />
    </Group>
  );
}
