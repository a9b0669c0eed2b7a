import { Skeleton } from "@mantine/core";
import { onDemand } from "../_components/on-demand";

/** The editor after the page around it: it brings its rules and its fields along. */
export const ChannelEditor = onDemand(
  () => import("./channel-editor").then((module) => module.ChannelEditor),
  () => <Skeleton height={480} />,
);
