import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { AccountsScreen } from "./accounts-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.accounts") };
}

export default async function AccountsPage() {
  await requireViewer("staff");
  return <AccountsScreen />;
}
