import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { ModelsScreen } from "./models-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.models") };
}

export default async function ModelsPage() {
  await requireViewer("owner");
  return <ModelsScreen />;
}
