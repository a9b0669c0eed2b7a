import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { beside } from "./stale-note";
import { useTRPC } from "./trpc";

/** Typing asks once it pauses. */
const TYPING_MS = 300;

type Props = { value: string | null; onChange: (keyId: string | null) => void };

/** Finds a key of the account by its name or its last four characters. `value`: its identifier. */
export function KeySelect({ value, onChange }: Props) {
  const t = useTranslations("requests");
  const trpc = useTRPC();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.replace(/ …\w{4}$/, ""), TYPING_MS);
  const found = useQuery({
    ...trpc.keys.list.queryOptions(search === "" ? {} : { search: search.slice(0, 100) }, beside),
    placeholderData: (before) => before,
  });
  // A key that was deleted since has no name to ask for.
  const chosen = useQuery({
    ...trpc.keys.get.queryOptions({ keyId: value ?? "" }),
    enabled: value !== null,
    retry: false,
  });
  const keys = [...(value !== null && chosen.data ? [chosen.data] : []), ...(found.data?.rows ?? [])];
  const labels = new Map<string, string>(keys.map(({ id, name, lastFour }) => [id, `${name} …${lastFour}`]));
  if (value !== null && !labels.has(value)) {
    labels.set(value, value);
  }
  return (
    <Select
      label={t("key")}
      placeholder={t("anyKey")}
      searchable
      clearable
      data={[...labels].map(([id, label]) => ({ value: id, label }))}
      value={value}
      nothingFoundMessage={t("noKey")}
      filter={({ options }) => options}
      onSearchChange={setTyped}
      onChange={onChange}
    />
  );
}
