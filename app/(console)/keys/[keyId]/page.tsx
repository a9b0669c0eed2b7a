import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../../require-viewer";
import { KeyScreen } from "./key-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.keys") };
}

export default async function KeyPage({ params }: { params: Promise<{ keyId: string }> }) {
  await requireViewer("owner");
  return <KeyScreen keyId={(await params).keyId} />;
}
