import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/prefetch";
import { requireViewer } from "../../require-viewer";
import { accountKeyList } from "../account-list";
import { AccountScreen } from "./account-screen";

export const generateMetadata = titled("accounts.account");

export default async function AccountPage({ params }: { params: Promise<{ accountId: string }> }) {
  await requireViewer("staff");
  const { accountId } = await params;
  return (
    <Prefetch
      ask={(trpc) => [trpc.accounts.get.queryOptions({ accountId }), accountKeyList(trpc, accountId)]}
    >
      <AccountScreen accountId={accountId} />
    </Prefetch>
  );
}
