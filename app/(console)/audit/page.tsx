import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { actions } from "@/server/audit";
import { findViewer } from "@/server/console";
import { AuditScreen } from "./audit-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.audit") };
}

export default async function AuditPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <AuditScreen actions={actions} />;
}
