import { Text } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  name: ReactNode;
  children: ReactNode;
  /** Below the figure: a comparison, or its limits. */
  hint?: ReactNode;
};

/** A page's one large figure. */
export const LargeFigure = ({ name, children, hint }: Props) => (
  <dl className="headline">
    <Text component="dt" size="sm">
      {name}
    </Text>
    <dd className="headline-figure" data-figure>
      {children}
    </dd>
    {hint && (
      <Text component="dd" size="sm" c="dimmed">
        {hint}
      </Text>
    )}
  </dl>
);
