"use client";

import { createContext, type ReactNode, useContext } from "react";
import { useTranslations } from "use-intl";
import type { Permission } from "@/server/base/facts";
import { may, type Side, sideOf } from "@/server/base/roles";
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

/** Whether the viewer may do this. The server refuses it in any case to a viewer who may not. */
export const useMay = (permission: Permission): boolean => may(useViewer().role, permission);

/** On which side who is looking is: of an account, or of those who run the gateway. */
export const useSide = (): Side => sideOf(useViewer().role);

/** What is only for those who may: a change, or what not everybody sees. */
export function Permitted({ to, children }: { to: Permission; children: ReactNode }) {
  return useMay(to) && children;
}

/** Fields that show what is and change it: who may not sees them switched off, and why. */
export function ChangeFields({ to, children }: { to: Permission; children: ReactNode }) {
  const t = useTranslations("common");
  return useMay(to) ? (
    children
  ) : (
    <fieldset disabled className="bare" title={t("readOnly")}>
      {children}
    </fieldset>
  );
}
