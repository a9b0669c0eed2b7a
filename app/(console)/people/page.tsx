import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { PeopleScreen } from "./people-screen";

export const generateMetadata = titled("shell.people");

export default async function PeoplePage() {
  await requireViewer("people.read", "owner");
  return (
    <Prefetch ask={(trpc) => [trpc.people.list.queryOptions()]}>
      <PeopleScreen />
    </Prefetch>
  );
}
