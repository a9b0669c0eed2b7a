import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../data/trpc";
import { optionalQuery } from "../shell/stale-note";
import { SearchedSelect } from "./searched-select";
import { useTyped } from "./use-typed";

type Props = { value: string | null; onChange: (accountId: string | null) => void };

/** For operators: finds an account by a part of its name. `value`: its identifier. */
export function AccountSelect({ value, onChange }: Props) {
  const t = useTranslations("accounts");
  const trpc = useTRPC();
  const { search, onSearchChange } = useTyped();
  const listed = (text: string) =>
    trpc.accounts.list.queryOptions(text === "" ? {} : { search: text }, optionalQuery);
  const matches = useQuery({ ...listed(search.slice(0, 100)), placeholderData: (before) => before });
  // The list also finds an account by its whole identifier: this gives the chosen account its name.
  const chosen = useQuery({ ...listed(value ?? ""), enabled: value !== null });
  const accounts = [...(value === null ? [] : (chosen.data?.rows ?? [])), ...(matches.data?.rows ?? [])];
  return (
    <SearchedSelect
      label={t("account")}
      placeholder={t("anyAccount")}
      nothingFoundMessage={t("noAccount")}
      names={new Map(accounts.map(({ id, name }) => [id, name]))}
      value={value}
      onSearchChange={onSearchChange}
      onChange={onChange}
    />
  );
}
