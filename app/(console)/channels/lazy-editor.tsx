import { Skeleton } from "@mantine/core";
import dynamic from "next/dynamic";
import { piece } from "../_components/piece";

/** The editor after the page around it: it brings its rules and its fields along. */
export const ChannelEditor = dynamic(
  piece(() => import("./channel-editor").then((module) => module.ChannelEditor)),
  {
    ssr: false,
    loading: () => <Skeleton height={480} />,
  },
);
