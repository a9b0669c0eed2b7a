import { createLoader, type SearchParams } from "nuqs/server";
import { requestedAt, titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { callLists, callParsers, toQuery } from "./call-filter";
import { RequestsScreen } from "./requests-screen";

export const generateMetadata = titled("shell.requests");

const load = createLoader(callParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function RequestsPage({ searchParams }: Props) {
  await requireViewer("account.read");
  const parameters = await load(searchParams);
  return (
    <Prefetch
      ask={(trpc) => [
        callLists(trpc, toQuery({ ...parameters, account: null }, requestedAt()), parameters).owner,
      ]}
    >
      <RequestsScreen side="owner" />
    </Prefetch>
  );
}
