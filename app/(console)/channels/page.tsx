import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { Prefetch } from "../_components/prefetch";
import { requireViewer } from "../require-viewer";
import { ChannelsScreen } from "./channels-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.channels") };
}

export default async function ChannelsPage() {
  await requireViewer("staff");
  return (
    <Prefetch ask={(trpc) => [trpc.channels.list.queryOptions(), trpc.channels.states.queryOptions()]}>
      <ChannelsScreen />
    </Prefetch>
  );
}
