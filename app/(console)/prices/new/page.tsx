import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { NewModelScreen } from "./new-model-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("prices.createTitle") };
}

export default async function NewModelPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <NewModelScreen />;
}
