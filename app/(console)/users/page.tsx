import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { Prefetch } from "../_components/prefetch";
import { requireViewer } from "../require-viewer";
import { UsersScreen } from "./users-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.users") };
}

export default async function UsersPage() {
  await requireViewer("staff");
  return (
    <Prefetch ask={(trpc) => [trpc.users.list.queryOptions()]}>
      <UsersScreen />
    </Prefetch>
  );
}
