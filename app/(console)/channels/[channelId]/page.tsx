import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { ChannelScreen } from "./channel-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.channels") };
}

export default async function ChannelPage({ params }: { params: Promise<{ channelId: string }> }) {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <ChannelScreen channelId={(await params).channelId} />;
}
