import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { marginParsers, marginQuery } from "./margin-filter";
import { MarginScreen } from "./margin-screen";

export const generateMetadata = titled("shell.margin");

const load = createLoader(marginParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function MarginPage({ searchParams }: Props) {
  await requireViewer("costs.read");
  const parameters = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [marginQuery(trpc, parameters), trpc.prices.costs.queryOptions({})]}>
      <MarginScreen />
    </Prefetch>
  );
}
