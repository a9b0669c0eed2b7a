import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { NewChannelScreen } from "./new-channel-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("channels.createTitle") };
}

export default async function NewChannelPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <NewChannelScreen />;
}
