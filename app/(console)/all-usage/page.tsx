import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { usageParsers, usageQueries } from "../usage/usage-filter";
import { UsageScreen } from "../usage/usage-screen";

export const generateMetadata = titled("shell.allUsage");

const load = createLoader(usageParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function AllUsagePage({ searchParams }: Props) {
  await requireViewer("staff.read");
  const parameters = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [usageQueries(trpc, parameters).operator]}>
      <UsageScreen side="operator" />
    </Prefetch>
  );
}
