import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { RequestsScreen } from "../requests/requests-screen";
import { requireViewer } from "../require-viewer";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.allRequests") };
}

export default async function AllRequestsPage() {
  await requireViewer("staff");
  return <RequestsScreen side="operator" />;
}
