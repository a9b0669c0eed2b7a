import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { RequestsScreen } from "./requests-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.requests") };
}

export default async function RequestsPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "owner") {
    notFound();
  }
  return <RequestsScreen side="owner" />;
}
