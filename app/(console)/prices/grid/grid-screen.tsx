"use client";

import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";

// Not rendered on the server: input typed before the script runs would be lost.
const GridForm = onDemand(
  () => import("./grid-form").then((module) => module.GridForm),
  () => <Skeleton height={320} />,
);

/** The prices at the moment from which new ones apply. */
export function GridScreen() {
  const [begins, setBegins] = useState("");
  const [saves, setSaves] = useState(0);
  const at = begins === "" ? {} : { at: new Date(begins).toISOString() };
  const query = useQuery(useTRPC().prices.grid.queryOptions(at, { placeholderData: keepPreviousData }));
  return query.data ? (
    <GridForm
      key={saves}
      rows={query.data}
      begins={begins}
      onBegins={setBegins}
      onSaved={() => setSaves(saves + 1)}
    />
  ) : (
    <QueryState query={query} lines={8} />
  );
}
