import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { describeFirstCall, findViewer } from "@/server/console";
import { AccountMonths } from "./_components/account-months";
import { FirstCall } from "./_components/first-call";
import { OwnMonth } from "./_components/own-month";
import { QueryProvider } from "./_components/query-provider";
import { TopBar } from "./_components/top-bar";

export const metadata: Metadata = { title: "概览 Overview" };

export default async function OverviewPage() {
  const viewer = await findViewer();
  if (!viewer) {
    redirect("/sign-in");
  }
  return (
    <QueryProvider>
      <TopBar email={viewer.email} />
      <main>
        {viewer.role === "operator" ? <AccountMonths /> : <OwnMonth />}
        <FirstCall {...(await describeFirstCall())} />
      </main>
    </QueryProvider>
  );
}
