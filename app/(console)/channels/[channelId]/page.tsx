import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/data/prefetch";
import { requireViewer } from "../../require-viewer";
import { ChannelScreen } from "./channel-screen";

export const generateMetadata = titled("shell.channels");

export default async function ChannelPage({ params }: { params: Promise<{ channelId: string }> }) {
  await requireViewer("channels.read");
  const { channelId } = await params;
  return (
    <Prefetch
      ask={(trpc) => [
        trpc.channels.get.queryOptions({ channelId }),
        trpc.channels.choices.queryOptions(),
        trpc.channels.states.queryOptions(),
      ]}
    >
      <ChannelScreen channelId={channelId} />
    </Prefetch>
  );
}
