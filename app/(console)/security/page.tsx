import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { requireViewer } from "../require-viewer";
import { SecurityScreen } from "./security-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.security") };
}

export default async function SecurityPage() {
  await requireViewer();
  return <SecurityScreen />;
}
