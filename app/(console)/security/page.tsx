import type { Metadata } from "next";
import { getTranslator } from "@/app/_i18n/server";
import { SecurityScreen } from "./security-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.security") };
}

export default function SecurityPage() {
  return <SecurityScreen />;
}
