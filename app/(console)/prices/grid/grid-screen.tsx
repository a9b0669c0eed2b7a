"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { onDemand } from "../../_components/on-demand";
import { QueryState } from "../../_components/query-state";
import { useTRPC } from "../../_components/trpc";
import { inGrid } from "./grid-draft";

// Not on the server: what is typed before a form listens would be lost.
const GridForm = onDemand(
  () => import("./grid-form").then((module) => module.GridForm),
  () => <Skeleton height={320} />,
);

export function GridScreen() {
  const query = useQuery(useTRPC().prices.list.queryOptions());
  const [saves, setSaves] = useState(0);
  return query.data ? (
    <GridForm key={saves} models={inGrid(query.data.models)} onSaved={() => setSaves(saves + 1)} />
  ) : (
    <QueryState query={query} lines={8} />
  );
}
