import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { BillingScreen } from "./billing-screen";
import { billingParsers, chosenPeriod, entryList } from "./entry-list";

export const generateMetadata = titled("shell.billing");

const load = createLoader(billingParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function BillingPage({ searchParams }: Props) {
  await requireViewer("account.read");
  const { month, kind } = await load(searchParams);
  return (
    <Prefetch
      ask={async (trpc, client) => {
        await client.prefetchQuery(trpc.billing.periods.queryOptions());
        const period = chosenPeriod(client.getQueryData(trpc.billing.periods.queryKey()) ?? [], month);
        return period === undefined
          ? []
          : [
              trpc.billing.statement.queryOptions({ period }),
              trpc.billing.spend.queryOptions({ period }),
              entryList(trpc, { period, kind }),
            ];
      }}
    >
      <BillingScreen />
    </Prefetch>
  );
}
