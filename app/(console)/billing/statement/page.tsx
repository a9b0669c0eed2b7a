import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/data/prefetch";
import { requireViewer } from "../../require-viewer";
import { billingParsers } from "../entry-list";
import { StatementScreen } from "./statement-screen";

export const generateMetadata = titled("billing.sheet.title");

const load = createLoader(billingParsers);

/** A monthly statement to print; the current month if the address names none. */
export default async function StatementPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  await requireViewer("account.read");
  const { month } = await load(searchParams);
  const input = month === null ? {} : { period: month };
  return (
    <Prefetch ask={(trpc) => [trpc.billing.wholeStatement.queryOptions(input)]}>
      <StatementScreen {...input} />
    </Prefetch>
  );
}
