import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../../require-viewer";
import { NewModelScreen } from "./new-model-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("prices.createTitle") };
}

export default async function NewModelPage() {
  await requireViewer("operator");
  return <NewModelScreen />;
}
