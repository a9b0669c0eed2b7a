import type { ReactNode } from "react";
import { describeInstallation } from "@/server/console";
import { InstallationProvider } from "./_components/installation";
import { QueryProvider } from "./_components/query-provider";
import { Shell } from "./_components/shell";
import { ViewerProvider } from "./_components/viewer";
import { requireViewer } from "./require-viewer";

/** Every page below requires a session. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { id, email, role } = await requireViewer();
  return (
    <InstallationProvider value={await describeInstallation()}>
      <QueryProvider email={email}>
        <ViewerProvider value={{ id, email, role }}>
          <Shell>{children}</Shell>
        </ViewerProvider>
      </QueryProvider>
    </InstallationProvider>
  );
}
