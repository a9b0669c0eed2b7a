import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { ModelScreen } from "./model-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.prices") };
}

export default async function ModelPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <ModelScreen />;
}
