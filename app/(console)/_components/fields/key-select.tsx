import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../data/trpc";
import { optionalQuery } from "../shell/stale-note";
import { SearchedSelect } from "./searched-select";
import { useTyped } from "./use-typed";

type Props = { value: string | null; onChange: (keyId: string | null) => void };

/** Finds a key of the account by its name or its last four characters. `value`: its identifier. */
export function KeySelect({ value, onChange }: Props) {
  const t = useTranslations("requests");
  const trpc = useTRPC();
  const { search, onSearchChange } = useTyped();
  // The field shows a key's name and last four characters, and searches for its own text.
  const part = search.replace(/ …\w{4}$/, "").slice(0, 100);
  const matches = useQuery({
    ...trpc.keys.list.queryOptions(part === "" ? {} : { search: part }, optionalQuery),
    placeholderData: (before) => before,
  });
  // A deleted key has no name, so this query may fail.
  const chosen = useQuery({
    ...trpc.keys.get.queryOptions({ keyId: value ?? "" }),
    enabled: value !== null,
    retry: false,
  });
  const keys = [...(value !== null && chosen.data ? [chosen.data] : []), ...(matches.data?.rows ?? [])];
  return (
    <SearchedSelect
      label={t("key")}
      placeholder={t("anyKey")}
      nothingFoundMessage={t("noKey")}
      filter={({ options }) => options}
      names={new Map(keys.map(({ id, name, lastFour }) => [id, `${name} …${lastFour}`]))}
      value={value}
      onSearchChange={onSearchChange}
      onChange={onChange}
    />
  );
}
