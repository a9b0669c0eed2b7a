import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/prefetch";
import { requireViewer } from "../../require-viewer";
import { accountKeyList } from "../account-list";
import { AccountScreen } from "./account-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("accounts.account") };
}

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
