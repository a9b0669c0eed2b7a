import { getTranslator, titled } from "@/app/_i18n/server";
import { may } from "@/server/domain/roles";
import { Prefetch } from "./_components/data/prefetch";
import { askedSpan } from "./_components/fields/span-parameters";
import { PageHeader } from "./_components/shell/page-header";
import { OperatorOverview } from "./_overview/operator-overview";
import { topKeys } from "./_overview/overview";
import { OwnerOverview } from "./_overview/owner-overview";
import { requireViewer } from "./require-viewer";
import { last30Days } from "./usage/unusual";

export const generateMetadata = titled("shell.overview");

export default async function OverviewPage() {
  const t = await getTranslator();
  const viewer = await requireViewer();
  return (
    <>
      <PageHeader title={t("shell.overview")} />
      {viewer.accountId === null ? (
        <Prefetch
          ask={({ overview }) => [
            overview.operatorSteps.queryOptions(),
            overview.business.queryOptions(),
            ...(may(viewer.role, "costs.read") ? [overview.earnings.queryOptions({})] : []),
            overview.traffic.queryOptions(),
            overview.attention.queryOptions(),
            ...(may(viewer.role, "audit.read") ? [overview.changes.queryOptions()] : []),
            overview.missedPaths.queryOptions({}),
          ]}
        >
          <OperatorOverview />
        </Prefetch>
      ) : (
        <Prefetch
          ask={async ({ overview, usage, calls }, client) => {
            // The first call is a part of the first paint, so that no chart below it moves under a click.
            const firstSteps = overview.firstSteps.queryOptions();
            await client.prefetchQuery(firstSteps);
            const firstCall = client.getQueryData(firstSteps.queryKey)?.firstCall ?? null;
            return [
              overview.month.queryOptions(),
              overview.days.queryOptions(),
              usage.show.queryOptions(topKeys),
              usage.unusualDay.queryOptions(askedSpan(last30Days)),
              overview.openTasks.queryOptions(),
              overview.failures.queryOptions(),
              ...(firstCall === null ? [] : [calls.get.queryOptions({ requestId: firstCall })]),
            ];
          }}
        >
          <OwnerOverview />
        </Prefetch>
      )}
    </>
  );
}
