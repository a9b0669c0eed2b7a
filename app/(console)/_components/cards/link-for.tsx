import { Anchor, type AnchorProps } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Permission } from "@/server/domain/enums";
import { useMay } from "../shell/viewer";

type Props = Pick<AnchorProps, "size" | "className" | "inherit" | "underline" | "fw"> & {
  /** The permission that the target page requires. */
  to: Permission;
  href: string;
  children: ReactNode;
};

/** A name that links to its page; plain text for viewers who may not see that page. */
export function LinkFor({ to, href, children, ...look }: Props) {
  return useMay(to) ? (
    <Anchor component={Link} href={href} {...look}>
      {children}
    </Anchor>
  ) : (
    <span className={look.className}>{children}</span>
  );
}
