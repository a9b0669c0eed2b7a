import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { KeyScreen } from "./key-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.keys") };
}

export default async function KeyPage({ params }: { params: Promise<{ keyId: string }> }) {
  const viewer = await findViewer();
  if (viewer?.role !== "owner") {
    notFound();
  }
  return <KeyScreen keyId={(await params).keyId} />;
}
