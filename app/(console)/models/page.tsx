import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { ModelsScreen } from "./models-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.models") };
}

export default async function ModelsPage() {
  if ((await findViewer())?.role !== "owner") {
    notFound();
  }
  return <ModelsScreen />;
}
