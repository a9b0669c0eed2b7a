import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { AccountScreen } from "./account-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("accounts.account") };
}

export default async function AccountPage({ params }: { params: Promise<{ accountId: string }> }) {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <AccountScreen accountId={(await params).accountId} />;
}
