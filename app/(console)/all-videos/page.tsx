import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { taskLists, taskParsers } from "../videos/task-list";
import { VideosScreen } from "../videos/videos-screen";

export const generateMetadata = titled("shell.allVideos");

const load = createLoader(taskParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function AllVideosPage({ searchParams }: Props) {
  await requireViewer("staff.read");
  const parameters = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [taskLists(trpc, parameters).operator]}>
      <VideosScreen side="operator" />
    </Prefetch>
  );
}
