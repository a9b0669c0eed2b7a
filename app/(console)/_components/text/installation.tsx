"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { Installation } from "@/server/console";

const Context = createContext<Installation | null>(null);

/** The installation's settings, the same on every page. Only below the console's layout. */
export function useInstallation(): Installation {
  const installation = useContext(Context);
  if (!installation) {
    throw new Error("this is not a page of the console");
  }
  return installation;
}

export function InstallationProvider({ value, children }: { value: Installation; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}
