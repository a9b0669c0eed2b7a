import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { AccountsScreen } from "./accounts-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.accounts") };
}

export default async function AccountsPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <AccountsScreen />;
}
