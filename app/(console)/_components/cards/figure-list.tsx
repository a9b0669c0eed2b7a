import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** `sign`: the figure's sign in a sum. Style sheets draw it, and screen readers skip it. */
type Figure = { id: string; name: string; value: ReactNode; sign?: string | undefined };

/**
 * Figures side by side, each below its name. `rows`: "threes": a row has three of them on every window; "five": there are
 * five, of which no window leaves one alone in a row.
 */
export const FigureList = ({ figures, rows }: { figures: Figure[]; rows?: "threes" | "five" }) => (
  <dl className="facts" data-rows={rows}>
    {figures.map(({ id, name, value, sign }) => (
      <div key={id}>
        <Text component="dt" size="sm" c="dimmed">
          {name}
        </Text>
        <Text component="dd" m={0} fw={600} data-sign={sign}>
          {value}
        </Text>
      </div>
    ))}
  </dl>
);
