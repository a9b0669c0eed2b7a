import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { VideosScreen } from "./videos-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.videos") };
}

export default async function VideosPage() {
  await requireViewer("owner");
  return <VideosScreen side="owner" />;
}
