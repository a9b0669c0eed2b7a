import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { VideosScreen } from "../videos/videos-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.allVideos") };
}

export default async function AllVideosPage() {
  await requireViewer("staff");
  return <VideosScreen side="operator" />;
}
