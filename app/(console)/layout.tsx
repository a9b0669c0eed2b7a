import type { ReactNode } from "react";
import { describeInstallation } from "@/server/console";
import { QueryProvider } from "./_components/data/query-provider";
import { Shell } from "./_components/shell/shell";
import { ViewerProvider } from "./_components/shell/viewer";
import { InstallationProvider } from "./_components/text/installation";
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
