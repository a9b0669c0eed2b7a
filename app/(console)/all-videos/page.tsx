import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { VideosScreen } from "../videos/videos-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.allVideos") };
}

export default async function AllVideosPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <VideosScreen side="operator" />;
}
