import { useState } from "react";

/** A part of a chart: its key in the data, its name, and its colour of the theme. */
export type Drawn = { name: string; label: string; color: string };

/** The parts of a chart that are shown. A part of another name, such as after a change of the filter, is shown. */
export function useLegend(drawn: Drawn[]) {
  const [labels, setLabels] = useState<ReadonlySet<string>>(new Set());
  const hidden = new Set(drawn.filter(({ label }) => labels.has(label)).map(({ name }) => name));
  return {
    hidden,
    shown: drawn.filter(({ name }) => !hidden.has(name)),
    toggle: ({ label }: Drawn) =>
      setLabels(
        new Set(labels.has(label) ? [...labels].filter((each) => each !== label) : [...labels, label]),
      ),
  };
}
