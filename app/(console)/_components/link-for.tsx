import { Anchor, type AnchorProps } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Permission } from "@/server/base/facts";
import { useMay } from "./viewer";

type Props = Pick<AnchorProps, "size" | "className" | "inherit" | "underline" | "fw"> & {
  /** What it takes to see what it leads to. */
  to: Permission;
  href: string;
  children: ReactNode;
};

/** The name of something, which leads there; to whom that page is not shown it is the name alone. */
export function LinkFor({ to, href, children, ...look }: Props) {
  return useMay(to) ? (
    <Anchor component={Link} href={href} {...look}>
      {children}
    </Anchor>
  ) : (
    <span className={look.className}>{children}</span>
  );
}
