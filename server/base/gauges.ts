import { Gauge, type GaugeConfiguration } from "prom-client";

/** A gauge of which nothing is told until something is known: the library begins those without labels with 0. */
export function gauge<Label extends string = never>(of: GaugeConfiguration<Label>): Gauge<Label> {
  const made = new Gauge<Label>(of);
  if (!of.labelNames?.length) {
    made.remove();
  }
  return made;
}

/**
 * What several gauges are filled by at a scrape: each of them asks for it, and it is done once for all. What it throws
 * costs its gauges and no others: it is for `onFailure`.
 */
export function onceForAll(
  fill: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let pending: Promise<void> | null = null;
  return () => {
    pending ??= fill()
      .catch(onFailure)
      .finally(() => {
        pending = null;
      });
    return pending;
  };
}
