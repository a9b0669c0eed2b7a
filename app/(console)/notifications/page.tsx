import { titled } from "@/app/_i18n/server";
import { sideOf } from "@/server/domain/roles";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { alertLists } from "./alerts";
import { NotificationsScreen } from "./notifications-screen";
import { webhookLists } from "./webhook";

export const generateMetadata = titled("shell.notifications");

export default async function NotificationsPage() {
  const { role } = await requireViewer("notifications.read");
  return (
    <Prefetch
      ask={(trpc) => {
        const whose = sideOf(role);
        return [alertLists(trpc)[whose], webhookLists(trpc)[whose]];
      }}
    >
      <NotificationsScreen />
    </Prefetch>
  );
}
