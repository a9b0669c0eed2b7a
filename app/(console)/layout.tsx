import type { ReactNode } from "react";
import { describeInstallation } from "@/server/console";
import { InstallationProvider } from "./_components/installation";
import { QueryProvider } from "./_components/query-provider";
import { Shell } from "./_components/shell";
import { requireViewer } from "./require-viewer";

/** Every page below is for somebody who has signed in. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const viewer = await requireViewer();
  return (
    <InstallationProvider value={await describeInstallation()}>
      <QueryProvider email={viewer.email}>
        <Shell viewer={{ email: viewer.email, role: viewer.role }}>{children}</Shell>
      </QueryProvider>
    </InstallationProvider>
  );
}
