"use client";

import { Skeleton } from "@mantine/core";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { addresses } from "@/app/addresses";
import { onDemand } from "../../_components/on-demand";
import { emptyDraft } from "../model-draft";

// Not on the server: what is typed before a form listens would be lost.
const ModelEditor = onDemand(
  () => import("../model-editor").then((module) => module.ModelEditor),
  () => <Skeleton height={320} />,
);

/** A link may name what is to be added. */
export function NewModelScreen() {
  const router = useRouter();
  const [id] = useQueryState("id", parseAsString.withDefault(""));
  const [before] = useState(() => emptyDraft(id));
  return <ModelEditor before={before} isNew onSaved={() => router.push(addresses.prices())} />;
}
