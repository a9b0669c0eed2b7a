"use client";

import { createContext, type ReactNode, use, useState } from "react";
import type { TableLook } from "./table-look";

type LookOfTables = { look: TableLook; setLook: (look: TableLook) => void };

const LookContext = createContext<LookOfTables>({
  look: { isCompact: false, columns: new Map() },
  setLook: () => undefined,
});

/** `kept`: the choices of the person, as the request has them. */
export function TableLookProvider({ kept, children }: { kept: TableLook; children: ReactNode }) {
  const [look, setLook] = useState(kept);
  return <LookContext value={{ look, setLook }}>{children}</LookContext>;
}

export const useTableLook = (): LookOfTables => use(LookContext);
