"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { addresses } from "@/app/addresses";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { useInstallation } from "../../_components/text/installation";
import type { ModelFacts } from "../catalog";
import { draftOfServedModel, emptyDraft } from "../model-draft";

// Not rendered on the server: input typed before the script runs would be lost.
const ModelEditor = onDemand(
  () => import("../model-editor").then((module) => module.ModelEditor),
  () => <Skeleton height={320} />,
);

function Editor({ id, facts }: { id: string; facts: ModelFacts | null }) {
  const router = useRouter();
  const { currency } = useInstallation();
  const [before] = useState(() => (facts ? draftOfServedModel(id, facts, currency) : emptyDraft(id)));
  return <ModelEditor before={before} isNew onSaved={() => router.push(addresses.prices())} />;
}

/** A link may name the model to add: the form then begins with the model's known facts. */
export function NewModelScreen() {
  const [id] = useQueryState("id", parseAsString.withDefault(""));
  const query = useQuery({ ...useTRPC().prices.modelFacts.queryOptions({ id }), enabled: id !== "" });
  if (id !== "" && query.data === undefined) {
    return <QueryState query={query} lines={8} />;
  }
  return <Editor id={id} facts={query.data ?? null} />;
}
