import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { describeInstallation, findViewer } from "@/server/console";
import { InstallationProvider } from "./_components/installation";
import { QueryProvider } from "./_components/query-provider";
import { Shell } from "./_components/shell";

/** Every page below is for somebody who has signed in. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const viewer = await findViewer();
  if (!viewer) {
    redirect("/sign-in");
  }
  return (
    <InstallationProvider value={await describeInstallation()}>
      <QueryProvider>
        <Shell viewer={{ email: viewer.email, role: viewer.role }}>{children}</Shell>
      </QueryProvider>
    </InstallationProvider>
  );
}
