"use client";

import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { QueryState } from "../_components/query-state";
import { useTRPC } from "../_components/trpc";
import { ChangePassword } from "./change-password";
import { SecondFactor } from "./second-factor";
import { Sessions } from "./sessions";

/** Somebody's own sign-in. */
export function SecurityScreen() {
  const query = useQuery(useTRPC().security.get.queryOptions());
  return query.data ? (
    <Stack gap="lg">
      <ChangePassword own={query.data} />
      <SecondFactor own={query.data} />
      <Sessions />
    </Stack>
  ) : (
    <QueryState query={query} lines={6} />
  );
}
