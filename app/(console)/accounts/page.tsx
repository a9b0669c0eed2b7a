import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { accountList, accountParsers } from "./account-list";
import { AccountsScreen } from "./accounts-screen";

export const generateMetadata = titled("shell.accounts");

const load = createLoader(accountParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function AccountsPage({ searchParams }: Props) {
  await requireViewer("staff.read");
  const filter = await load(searchParams);
  return (
    <Prefetch
      ask={(trpc) => [
        accountList(trpc, filter),
        ...(filter.group === null ? [] : [trpc.prices.groups.queryOptions()]),
      ]}
    >
      <AccountsScreen />
    </Prefetch>
  );
}
