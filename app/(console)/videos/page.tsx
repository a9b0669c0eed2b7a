import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { taskLists, taskParsers } from "./task-list";
import { VideosScreen } from "./videos-screen";

export const generateMetadata = titled("shell.videos");

const load = createLoader(taskParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function VideosPage({ searchParams }: Props) {
  await requireViewer("account.read");
  const parameters = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [taskLists(trpc, parameters).owner]}>
      <VideosScreen side="owner" />
    </Prefetch>
  );
}
