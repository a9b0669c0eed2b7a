import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../../_components/data/prefetch";
import { billingParsers } from "../../../billing/entry-list";
import { requireViewer } from "../../../require-viewer";
import { AccountStatementScreen } from "./account-statement-screen";

export const generateMetadata = titled("billing.sheet.title");

const load = createLoader(billingParsers);

type Props = { params: Promise<{ accountId: string }>; searchParams: Promise<SearchParams> };

/** A customer's monthly statement to print; the current month if the address names none. */
export default async function AccountStatementPage({ params, searchParams }: Props) {
  await requireViewer("staff.read");
  const { accountId } = await params;
  const { month } = await load(searchParams);
  const input = { accountId, ...(month !== null && { period: month }) };
  return (
    <Prefetch ask={(trpc) => [trpc.accounts.statement.queryOptions(input)]}>
      <AccountStatementScreen input={input} />
    </Prefetch>
  );
}
