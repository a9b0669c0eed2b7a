import { Skeleton } from "@mantine/core";
import { onDemand } from "../_components/data/on-demand";

/** The editor loads after the page, because it brings its rules and fields along. */
export const ChannelEditor = onDemand(
  () => import("./channel-editor").then((module) => module.ChannelEditor),
  () => <Skeleton height={480} />,
);
