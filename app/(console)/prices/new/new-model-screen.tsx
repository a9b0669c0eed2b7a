"use client";

import { Skeleton } from "@mantine/core";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { addresses } from "@/app/addresses";
import { onDemand } from "../../_components/data/on-demand";
import { emptyDraft } from "../model-draft";

// Not rendered on the server: input typed before the script runs would be lost.
const ModelEditor = onDemand(
  () => import("../model-editor").then((module) => module.ModelEditor),
  () => <Skeleton height={320} />,
);

/** A link may name the model to add. */
export function NewModelScreen() {
  const router = useRouter();
  const [id] = useQueryState("id", parseAsString.withDefault(""));
  const [before] = useState(() => emptyDraft(id));
  return <ModelEditor before={before} isNew onSaved={() => router.push(addresses.prices())} />;
}
