import { getTranslator, titled } from "@/app/_i18n/server";
import { may } from "@/server/domain/roles";
import { Prefetch } from "./_components/data/prefetch";
import { PageHeader } from "./_components/shell/page-header";
import { OperatorOverview } from "./_overview/operator-overview";
import { topKeys } from "./_overview/overview";
import { OwnerOverview } from "./_overview/owner-overview";
import { requireViewer } from "./require-viewer";

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
          ask={({ overview, usage }) => [
            overview.month.queryOptions(),
            overview.days.queryOptions(),
            usage.show.queryOptions(topKeys),
            overview.firstSteps.queryOptions(),
            overview.openTasks.queryOptions(),
            overview.failures.queryOptions(),
          ]}
        >
          <OwnerOverview />
        </Prefetch>
      )}
    </>
  );
}
