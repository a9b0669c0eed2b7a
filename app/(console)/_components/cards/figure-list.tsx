import { Text } from "@mantine/core";
import type { ReactNode } from "react";

type Figure = { id: string; name: string; value: ReactNode };

/** Figures side by side, each below its name. */
export const FigureList = ({ figures }: { figures: Figure[] }) => (
  <dl className="facts">
    {figures.map(({ id, name, value }) => (
      <div key={id}>
        <Text component="dt" size="sm" c="dimmed">
          {name}
        </Text>
        <Text component="dd" m={0} fw={600}>
          {value}
        </Text>
      </div>
    ))}
  </dl>
);
