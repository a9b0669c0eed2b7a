import { Gauge, type GaugeConfiguration } from "prom-client";

/** A gauge without a value until the first measurement: the library starts gauges without labels at 0. */
export function gauge<Label extends string = never>(configuration: GaugeConfiguration<Label>): Gauge<Label> {
  const made = new Gauge<Label>(configuration);
  if (!configuration.labelNames?.length) {
    made.remove();
  }
  return made;
}

/**
 * Fills several gauges at a scrape: each of them calls it, and it runs once for all. `onFailure` receives an error,
 * which affects only these gauges.
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
