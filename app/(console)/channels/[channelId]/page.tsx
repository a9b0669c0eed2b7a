import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../../require-viewer";
import { ChannelScreen } from "./channel-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.channels") };
}

export default async function ChannelPage({ params }: { params: Promise<{ channelId: string }> }) {
  await requireViewer("staff");
  return <ChannelScreen channelId={(await params).channelId} />;
}
