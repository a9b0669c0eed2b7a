import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { beside } from "./stale-note";
import { useTRPC } from "./trpc";

/** Typing asks once it pauses. */
const TYPING_MS = 300;

type Props = { value: string | null; onChange: (accountId: string | null) => void };

/** For operators: finds an account by a part of its name. `value`: its identifier. */
export function AccountSelect({ value, onChange }: Props) {
  const t = useTranslations("accounts");
  const trpc = useTRPC();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, TYPING_MS);
  const listed = (text: string) =>
    trpc.accounts.list.queryOptions(text === "" ? {} : { search: text }, beside);
  const found = useQuery({ ...listed(search.slice(0, 100)), placeholderData: (before) => before });
  // The list finds an account by its whole identifier too: that is how the chosen one gets its name.
  const chosen = useQuery({ ...listed(value ?? ""), enabled: value !== null });
  const accounts = [...(value === null ? [] : (chosen.data?.rows ?? [])), ...(found.data?.rows ?? [])];
  const names = new Map<string, string>(accounts.map(({ id, name }) => [id, name]));
  if (value !== null && !names.has(value)) {
    names.set(value, value);
  }
  return (
    <Select
      label={t("account")}
      placeholder={t("anyAccount")}
      searchable
      clearable
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      nothingFoundMessage={t("noAccount")}
      onSearchChange={setTyped}
      onChange={onChange}
    />
  );
}
