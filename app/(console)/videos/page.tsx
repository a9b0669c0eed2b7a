import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { VideosScreen } from "./videos-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.videos") };
}

export default async function VideosPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "owner") {
    notFound();
  }
  return <VideosScreen side="owner" />;
}
