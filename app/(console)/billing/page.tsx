import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { BillingScreen } from "./billing-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.billing") };
}

export default async function BillingPage() {
  await requireViewer("owner");
  return <BillingScreen />;
}
