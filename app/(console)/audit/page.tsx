import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { actions } from "@/server/audit";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { auditList, auditParsers } from "./audit-list";
import { AuditScreen } from "./audit-screen";

export const generateMetadata = titled("shell.audit");

const load = createLoader(auditParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function AuditPage({ searchParams }: Props) {
  await requireViewer("audit.read");
  const filter = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => (filter.from || filter.until ? [] : [auditList(trpc, filter)])}>
      <AuditScreen actions={actions} />
    </Prefetch>
  );
}
