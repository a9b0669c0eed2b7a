import { titled } from "@/app/_i18n/server";
import { may } from "@/server/domain/roles";
import { Prefetch } from "../../_components/data/prefetch";
import { requireViewer } from "../../require-viewer";
import { accountKeyList } from "../account-list";
import { AccountScreen } from "./account-screen";

export const generateMetadata = titled("accounts.account");

export default async function AccountPage({ params }: { params: Promise<{ accountId: string }> }) {
  const { role } = await requireViewer("staff.read");
  const { accountId } = await params;
  return (
    <Prefetch
      ask={(trpc) => [
        trpc.accounts.get.queryOptions({ accountId }),
        trpc.prices.groups.queryOptions(),
        accountKeyList(trpc, accountId),
        ...(may(role, "people.read") ? [trpc.users.list.queryOptions({ accountId })] : []),
      ]}
    >
      <AccountScreen accountId={accountId} />
    </Prefetch>
  );
}
