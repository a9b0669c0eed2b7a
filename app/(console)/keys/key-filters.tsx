import { Group, SegmentedControl, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { debounce, type useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { keyStates, sparkSpans } from "@/server/domain/enums";
import { ChoiceSelect } from "../_components/fields/choice-select";
import type { KeyFilter, keyParsers } from "./key-list";

const TYPING_MS = 250;

type Props = { filter: KeyFilter; onChange: ReturnType<typeof useQueryStates<typeof keyParsers>>[1] };

export function KeyFilters({ filter, onChange }: Props) {
  const t = useTranslations("keys");
  return (
    <Group gap="sm" role="search">
      <TextInput
        flex="1 1 16rem"
        maw={420}
        aria-label={t("search")}
        placeholder={t("search")}
        leftSection={<IconSearch size={16} aria-hidden />}
        maxLength={100}
        value={filter.search}
        onChange={(event) =>
          void onChange({ search: event.currentTarget.value }, { limitUrlUpdates: debounce(TYPING_MS) })
        }
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
        size="xs"
        aria-label={t("span")}
        value={filter.span}
        onChange={(span) => void onChange({ span })}
        data={sparkSpans.map((value) => ({ value, label: t(`spans.${value}`) }))}
      />
    </Group>
  );
}
