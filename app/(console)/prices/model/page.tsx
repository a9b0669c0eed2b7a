import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../../require-viewer";
import { ModelScreen } from "./model-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.prices") };
}

export default async function ModelPage() {
  await requireViewer("staff");
  return <ModelScreen />;
}
