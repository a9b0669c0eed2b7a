import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { RequestsScreen } from "../requests/requests-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.allRequests") };
}

export default async function AllRequestsPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <RequestsScreen side="operator" />;
}
