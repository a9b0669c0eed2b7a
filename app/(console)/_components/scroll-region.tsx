import type { ReactNode, Ref } from "react";

type Props = {
  label: string;
  className?: string;
  /** Nothing of it is beyond its edges. */
  fits?: boolean;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
};

/** What scrolls sideways within a page. `label` names it for readers who cannot see it. */
export const ScrollRegion = ({ label, className, fits, ref, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <section ref={ref} className={className} aria-label={label} data-fits={fits || undefined} tabIndex={0}>
    {children}
  </section>
);
