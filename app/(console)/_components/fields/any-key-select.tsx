import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../data/trpc";
import { optionalQuery } from "../shell/stale-note";
import { SearchedSelect } from "./searched-select";
import { useTyped } from "./use-typed";

type Props = {
  /** The account whose keys are offered; null: all accounts. */
  accountId: string | null;
  value: string | null;
  onChange: (keyId: string | null) => void;
};

/** For operators: finds a key by its name or its last four characters. `value`: its identifier. */
export function AnyKeySelect({ accountId, value, onChange }: Props) {
  const t = useTranslations("requests");
  const trpc = useTRPC();
  const { search, onSearchChange } = useTyped();
  // The field shows a key's name and last four characters, and searches for its own text.
  const part = search.replace(/ …\w{4}$/, "").slice(0, 100);
  const listed = (text: string) =>
    trpc.accounts.keys.list.queryOptions(
      { ...(text !== "" && { search: text }), ...(accountId !== null && { accountId }) },
      optionalQuery,
    );
  const matches = useQuery({ ...listed(part), placeholderData: (before) => before });
  // The list also finds a key by its whole identifier: this gives the chosen key its name.
  const chosen = useQuery({ ...listed(value ?? ""), enabled: value !== null });
  const keys = [...(value === null ? [] : (chosen.data?.rows ?? [])), ...(matches.data?.rows ?? [])];
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
