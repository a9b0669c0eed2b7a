import { Skeleton } from "@mantine/core";
import dynamic from "next/dynamic";

/** The editor after the page around it: it brings its rules and its fields along. */
export const ChannelEditor = dynamic(
  () => import("./channel-editor").then((module) => module.ChannelEditor),
  {
    ssr: false,
    loading: () => <Skeleton height={480} />,
  },
);
