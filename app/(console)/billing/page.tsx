import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { BillingScreen } from "./billing-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.billing") };
}

export default async function BillingPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "owner") {
    notFound();
  }
  return <BillingScreen />;
}
