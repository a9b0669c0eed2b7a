import { ComingChart } from "../charts/coming-chart";
import { onDemand } from "../data/on-demand";

/** `StackedColumns`, fetched when there is data to draw: its library is larger than a page. */
export const LazyColumns = onDemand(
  () => import("../charts/stacked-columns").then((module) => module.StackedColumns),
  () => <ComingChart height={320} />,
);
