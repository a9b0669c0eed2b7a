"use client";

import { createContext, type ReactNode, useContext } from "react";
import { useTranslations } from "use-intl";
import type { Viewer } from "./navigation";

const Context = createContext<Viewer | null>(null);

export function ViewerProvider({ value, children }: { value: Viewer; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

/** Who is looking. Below the console's layout only. */
export function useViewer(): Viewer {
  const viewer = useContext(Context);
  if (!viewer) {
    throw new Error("this is not a page of the console");
  }
  return viewer;
}

/** Whether who is looking may change what the page shows. The server refuses a viewer in any case. */
export const useMayChange = (): boolean => useViewer().role !== "viewer";

/** The way to a change: a viewer does not see it. */
export function ForChangers({ children }: { children: ReactNode }) {
  return useMayChange() && children;
}

/** Fields that show what is and change it: a viewer sees them switched off, and why. */
export function ChangeFields({ children }: { children: ReactNode }) {
  const t = useTranslations("common");
  return useMayChange() ? (
    children
  ) : (
    <fieldset disabled className="bare" title={t("readOnly")}>
      {children}
    </fieldset>
  );
}
