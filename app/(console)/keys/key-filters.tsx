import { Group, NativeSelect, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { debounce, type useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { keyStates } from "@/server/base/facts";
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
      <NativeSelect
        w={180}
        aria-label={t("status")}
        value={filter.status ?? ""}
        data={[
          { value: "", label: t("statusAny") },
          ...keyStates.map((state) => ({ value: state, label: t(state) })),
        ]}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          void onChange({ status: keyStates.find((state) => state === chosen) ?? null });
        }}
      />
    </Group>
  );
}
