import { titled } from "@/app/_i18n/server";
import { sideOf } from "@/server/domain/roles";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { managementKeyLists } from "./management-key";
import { ManagementKeysScreen } from "./management-keys-screen";

export const generateMetadata = titled("shell.managementKeys");

export default async function ManagementKeysPage() {
  const { role } = await requireViewer("management_keys.read");
  return (
    <Prefetch ask={(trpc) => [managementKeyLists(trpc)[sideOf(role)]]}>
      <ManagementKeysScreen />
    </Prefetch>
  );
}
