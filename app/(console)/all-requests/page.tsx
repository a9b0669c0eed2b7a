import { createLoader, type SearchParams } from "nuqs/server";
import { requestedAt, titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { callLists, callParsers, toQuery } from "../requests/call-filter";
import { RequestsScreen } from "../requests/requests-screen";
import { requireViewer } from "../require-viewer";

export const generateMetadata = titled("shell.allRequests");

const load = createLoader(callParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function AllRequestsPage({ searchParams }: Props) {
  await requireViewer("staff.read");
  const parameters = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [callLists(trpc, toQuery(parameters, requestedAt()), parameters).operator]}>
      <RequestsScreen side="operator" />
    </Prefetch>
  );
}
