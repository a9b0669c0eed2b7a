"use client";

import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ProviderError } from "@/app/sign-in/provider-error";
import { QueryState } from "../_components/query-state";
import { useTRPC } from "../_components/trpc";
import { ChangePassword } from "./change-password";
import { Provider } from "./provider";
import { SecondFactor } from "./second-factor";
import { Sessions } from "./sessions";

/** Somebody's own sign-in. */
export function SecurityScreen({ refusal }: { refusal: ProviderError | null }) {
  const query = useQuery(useTRPC().security.get.queryOptions());
  const own = query.data;
  // Linked to one that is configured no more, they can still take it away.
  const provider = own && (own.provider ?? own.linkedTo);
  return own ? (
    <Stack gap="lg">
      {own.hasPassword && <ChangePassword own={own} />}
      {/* Its codes are asked for with passwords alone. */}
      {(own.hasPassword || own.hasTotp) && <SecondFactor own={own} />}
      {provider && <Provider own={own} name={provider} refusal={refusal} />}
      <Sessions />
    </Stack>
  ) : (
    <QueryState query={query} lines={6} />
  );
}
