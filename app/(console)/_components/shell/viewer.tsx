"use client";

import { createContext, type ReactNode, useContext } from "react";
import { useTranslations } from "use-intl";
import type { Permission } from "@/server/domain/enums";
import { may, type Side, sideOf } from "@/server/domain/roles";
import type { Viewer } from "./navigation";

const Context = createContext<Viewer | null>(null);

export function ViewerProvider({ value, children }: { value: Viewer; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

/** The signed-in user. Only below the console's layout. */
export function useViewer(): Viewer {
  const viewer = useContext(Context);
  if (!viewer) {
    throw new Error("this is not a page of the console");
  }
  return viewer;
}

/** Whether the viewer has a permission. The server enforces it in any case. */
export const useMay = (permission: Permission): boolean => may(useViewer().role, permission);

/** The viewer's side: an account's, or the operators'. */
export const useSide = (): Side => sideOf(useViewer().role);

/** Renders its children only for viewers with the permission. */
export function Permitted({ to, children }: { to: Permission; children: ReactNode }) {
  return useMay(to) && children;
}

/** Fields that show a state and change it. Viewers without the permission see them disabled, and why. */
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
