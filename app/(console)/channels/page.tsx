import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { ChannelsScreen } from "./channels-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.channels") };
}

export default async function ChannelsPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <ChannelsScreen />;
}
