import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { keyList, keyParsers } from "./key-list";
import { KeysScreen } from "./keys-screen";

export const generateMetadata = titled("shell.keys");

const load = createLoader(keyParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function KeysPage({ searchParams }: Props) {
  await requireViewer("account.read");
  const filter = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [keyList(trpc, filter), trpc.account.get.queryOptions()]}>
      <KeysScreen />
    </Prefetch>
  );
}
