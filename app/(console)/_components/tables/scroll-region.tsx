import type { ReactNode, Ref } from "react";

type Props = {
  label: string;
  className?: string;
  /** All of its content is visible without scrolling. */
  fits?: boolean;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
};

/** A part of a page that scrolls sideways. `label` names it for screen readers. */
export const ScrollRegion = ({ label, className, fits, ref, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <section ref={ref} className={className} aria-label={label} data-fits={fits || undefined} tabIndex={0}>
    {children}
  </section>
);
