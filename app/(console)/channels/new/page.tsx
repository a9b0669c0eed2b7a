import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../../require-viewer";
import { NewChannelScreen } from "./new-channel-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("channels.createTitle") };
}

export default async function NewChannelPage() {
  await requireViewer("operator");
  return <NewChannelScreen />;
}
