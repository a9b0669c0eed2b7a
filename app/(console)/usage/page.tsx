import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { unusualDayQueries } from "./unusual";
import { usageParsers, usageQueries } from "./usage-filter";
import { UsageScreen } from "./usage-screen";

export const generateMetadata = titled("shell.usage");

const load = createLoader(usageParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function UsagePage({ searchParams }: Props) {
  await requireViewer("account.read");
  const parameters = await load(searchParams);
  return (
    <Prefetch
      ask={(trpc) => [usageQueries(trpc, parameters).owner, unusualDayQueries(trpc, parameters, null).owner]}
    >
      <UsageScreen side="owner" />
    </Prefetch>
  );
}
