import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { KeysScreen } from "./keys-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.keys") };
}

export default async function KeysPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "owner") {
    notFound();
  }
  return <KeysScreen />;
}
