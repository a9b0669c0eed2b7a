import { Box } from "@mantine/core";
import { onDemand } from "../data/on-demand";

/** `StackedColumns`, fetched when there is data to draw: its library is larger than a page. */
export const LazyColumns = onDemand(
  () => import("../charts/stacked-columns").then((module) => module.StackedColumns),
  () => <Box h={320} />,
);
