import type { ReactNode } from "react";

type Props = { label: string; className?: string; children: ReactNode };

/** What scrolls sideways within a page. `label` names it for readers who cannot see it. */
export const ScrollRegion = ({ label, className, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <section className={className} aria-label={label} tabIndex={0}>
    {children}
  </section>
);
