import { Box } from "@mantine/core";
import { onDemand } from "./on-demand";

/** `StackedColumns`, fetched when there is data to draw: its library is larger than a page. */
export const LazyColumns = onDemand(
  () => import("./stacked-columns").then((module) => module.StackedColumns),
  () => <Box h={320} />,
);
