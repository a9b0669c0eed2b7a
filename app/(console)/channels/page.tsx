import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { ChannelsScreen } from "./channels-screen";

export const generateMetadata = titled("shell.channels");

export default async function ChannelsPage() {
  await requireViewer("channels.read");
  return (
    <Prefetch ask={(trpc) => [trpc.channels.list.queryOptions(), trpc.channels.states.queryOptions()]}>
      <ChannelsScreen />
    </Prefetch>
  );
}
