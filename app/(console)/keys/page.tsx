import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { KeysScreen } from "./keys-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.keys") };
}

export default async function KeysPage() {
  await requireViewer("owner");
  return <KeysScreen />;
}
