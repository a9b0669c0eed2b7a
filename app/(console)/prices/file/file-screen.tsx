"use client";

import { Skeleton } from "@mantine/core";
import { onDemand } from "../../_components/data/on-demand";

// Not rendered on the server: input typed before the script runs would be lost.
const FileForm = onDemand(
  () => import("./file-form").then((module) => module.FileForm),
  () => <Skeleton height={320} />,
);

export const FileScreen = () => <FileForm />;
