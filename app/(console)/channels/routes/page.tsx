import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { RoutesScreen } from "./routes-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("channels.routesTitle") };
}

export default async function RoutesPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <RoutesScreen />;
}
