"use client";

import { Skeleton } from "@mantine/core";
import { onDemand } from "../../_components/on-demand";

// Not on the server: what is typed before a form listens would be lost.
const FileForm = onDemand(
  () => import("./file-form").then((module) => module.FileForm),
  () => <Skeleton height={320} />,
);

export const FileScreen = () => <FileForm />;
