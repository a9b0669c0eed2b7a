import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { CodesScreen } from "./codes-screen";

export const generateMetadata = titled("shell.codes");

export default async function CodesPage() {
  await requireViewer("staff.read");
  return (
    <Prefetch ask={(trpc) => [trpc.codes.list.queryOptions()]}>
      <CodesScreen />
    </Prefetch>
  );
}
