import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../../require-viewer";
import { AccountScreen } from "./account-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("accounts.account") };
}

export default async function AccountPage({ params }: { params: Promise<{ accountId: string }> }) {
  await requireViewer("staff");
  return <AccountScreen accountId={(await params).accountId} />;
}
