import { withinMs } from "@/server/base/deadline";
import { COLLECT_MS } from "@/server/domain/metrics";
import type { AllMetrics } from "./all-metrics";
import type { ToParent } from "./messages";
import type { Supervisor } from "./supervisor";

/**
 * A process that does not report its metrics in this time, even with a busy event loop, is reported with its former
 * values.
 */
const MEASURE_MS = COLLECT_MS + 500;

/** Asks all processes for their metrics, and stores their answers. */
export function createMeasuring(
  keepers: () => Pick<Supervisor, "send">[],
  metrics: Pick<AllMetrics, "note">,
) {
  const waiting = new Map<number, () => void>();
  const newest = new Map<string, number>();
  let serial = 0;
  const ask = async ({ send }: Pick<Supervisor, "send">): Promise<void> => {
    const id = serial++;
    const answer = new Promise<void>((resolve) => waiting.set(id, resolve));
    if (send({ kind: "measure", id })) {
      await withinMs(answer, MEASURE_MS);
    }
    waiting.delete(id);
  };
  return {
    /** Keeps the answer to the later question, in whatever order answers arrive; a late answer counts, too. */
    hear: (name: string, { id, metrics: measured }: Extract<ToParent, { kind: "measured" }>): void => {
      if (id > (newest.get(name) ?? -1)) {
        newest.set(name, id);
        metrics.note(name, measured);
      }
      waiting.get(id)?.();
    },
    measure: async (): Promise<void> => void (await Promise.all(keepers().map(ask))),
  };
}
