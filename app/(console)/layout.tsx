import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { describeInstallation } from "@/server/console";
import { QueryProvider } from "./_components/data/query-provider";
import { Shell } from "./_components/shell/shell";
import { isRail, SIDEBAR_COOKIE } from "./_components/shell/sidebar-width";
import { ViewerProvider } from "./_components/shell/viewer";
import { parseLook, TABLES_COOKIE } from "./_components/tables/table-look";
import { TableLookProvider } from "./_components/tables/table-look-provider";
import { InstallationProvider } from "./_components/text/installation";
import { requireViewer } from "./require-viewer";

/** Every page below requires a session. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { id, email, role, accountName } = await requireViewer();
  const jar = await cookies();
  const width = jar.get(SIDEBAR_COOKIE)?.value;
  return (
    <InstallationProvider value={await describeInstallation()}>
      <QueryProvider email={email}>
        <ViewerProvider value={{ id, email, role, accountName }}>
          <Shell startsAsRail={isRail(width)}>
            <TableLookProvider kept={parseLook(jar.get(TABLES_COOKIE)?.value)}>{children}</TableLookProvider>
          </Shell>
        </ViewerProvider>
      </QueryProvider>
    </InstallationProvider>
  );
}
