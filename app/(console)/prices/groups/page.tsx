import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/data/prefetch";
import { requireViewer } from "../../require-viewer";
import { GroupsScreen } from "./groups-screen";

export const generateMetadata = titled("priceGroups.title");

export default async function PriceGroupsPage() {
  await requireViewer("staff.read");
  return (
    <Prefetch ask={(trpc) => [trpc.prices.groups.queryOptions()]}>
      <GroupsScreen />
    </Prefetch>
  );
}
