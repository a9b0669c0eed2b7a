import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { RequestsScreen } from "./requests-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.requests") };
}

export default async function RequestsPage() {
  await requireViewer("owner");
  return <RequestsScreen side="owner" />;
}
