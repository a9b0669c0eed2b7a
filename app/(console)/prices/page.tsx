import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslator } from "@/app/_i18n/server";
import { findViewer } from "@/server/console";
import { PricesScreen } from "./prices-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.prices") };
}

export default async function PricesPage() {
  const viewer = await findViewer();
  if (viewer?.role !== "operator") {
    notFound();
  }
  return <PricesScreen />;
}
