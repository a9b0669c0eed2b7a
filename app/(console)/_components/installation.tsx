"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { Installation } from "@/server/console";

const Context = createContext<Installation | null>(null);

/** What is the same on every page of this installation. Below the console's layout only. */
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
