"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";

// Not rendered on the server: input typed before the script runs would be lost.
const ImportForm = onDemand(
  () => import("./import-form").then((module) => module.ImportForm),
  () => <Skeleton height={320} />,
);

export function ImportScreen() {
  const query = useQuery(useTRPC().prices.lists.queryOptions());
  return query.data ? <ImportForm lists={query.data} /> : <QueryState query={query} lines={6} />;
}
