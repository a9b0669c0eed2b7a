"use client";

import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ProviderError } from "@/app/sign-in/provider-error";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { ChangePassword } from "./change-password";
import { Provider } from "./provider";
import { SecondFactor } from "./second-factor";
import { Sessions } from "./sessions";

/** The user's own sign-in. */
export function SecurityScreen({ refusal }: { refusal: ProviderError | null }) {
  const query = useQuery(useTRPC().security.get.queryOptions());
  const own = query.data;
  // A user can still unlink a provider that is no longer configured.
  const provider = own && (own.provider ?? own.linkedTo);
  return own ? (
    <Stack gap="lg">
      {own.hasPassword && <ChangePassword own={own} />}
      {/* Sign-in asks for codes only after a password. */}
      {(own.hasPassword || own.hasTotp) && <SecondFactor own={own} />}
      {provider && <Provider own={own} name={provider} refusal={refusal} />}
      <Sessions />
    </Stack>
  ) : (
    <QueryState query={query} lines={6} />
  );
}
