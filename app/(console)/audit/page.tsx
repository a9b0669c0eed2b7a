import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { actions } from "@/server/audit";
import { requireViewer } from "../require-viewer";
import { AuditScreen } from "./audit-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.audit") };
}

export default async function AuditPage() {
  await requireViewer("staff");
  return <AuditScreen actions={actions} />;
}
