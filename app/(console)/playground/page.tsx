import { IconUserOff } from "@tabler/icons-react";
import { getTranslator, titled } from "@/app/_i18n/server";
import { may, sideOf } from "@/server/domain/roles";
import { Prefetch } from "../_components/data/prefetch";
import { PageHeader } from "../_components/shell/page-header";
import { EmptyState } from "../_components/tables/empty-state";
import { requireViewer } from "../require-viewer";
import { Playground } from "./playground";

export const generateMetadata = titled("shell.playground");

/**
 * Calls are charged to an account. Operators have none, and the page says so. A reader of an account may not see this
 * page.
 */
export default async function PlaygroundPage() {
  const t = await getTranslator();
  const { role } = await requireViewer();
  if (sideOf(role) === "owner") {
    await requireViewer("calls.make");
  }
  const mayCall = may(role, "calls.make");
  return (
    <>
      <PageHeader title={t("shell.playground")} text={mayCall ? t("playground.text") : undefined} />
      {mayCall ? (
        <Prefetch ask={(trpc) => [trpc.models.list.queryOptions()]}>
          <Playground />
        </Prefetch>
      ) : (
        <EmptyState
          icon={<IconUserOff size={32} />}
          title={t("playground.accountNeededTitle")}
          text={t("playground.accountNeededText")}
        />
      )}
    </>
  );
}
