import { titled } from "@/app/_i18n/server";
import { sideOf } from "@/server/base/roles";
import { Prefetch } from "../_components/prefetch";
import { requireViewer } from "../require-viewer";
import { webhookLists } from "./webhook";
import { WebhooksScreen } from "./webhooks-screen";

export const generateMetadata = titled("shell.webhooks");

export default async function WebhooksPage() {
  const { role } = await requireViewer("read");
  return (
    <Prefetch ask={(trpc) => [webhookLists(trpc)[sideOf(role)]]}>
      <WebhooksScreen />
    </Prefetch>
  );
}
