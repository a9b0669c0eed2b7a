import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { UsersScreen } from "./users-screen";

export const generateMetadata = titled("shell.users");

export default async function UsersPage() {
  await requireViewer("people.read", "operator");
  return (
    <Prefetch ask={(trpc) => [trpc.users.list.queryOptions({})]}>
      <UsersScreen />
    </Prefetch>
  );
}
