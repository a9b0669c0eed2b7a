import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../../require-viewer";
import { RoutesScreen } from "./routes-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("channels.routesTitle") };
}

export default async function RoutesPage() {
  await requireViewer("staff");
  return <RoutesScreen />;
}
