"use client";

import { Box, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import type { ProviderError } from "@/app/sign-in/provider-error";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { Provider } from "./provider";
import { SecondFactor } from "./second-factor";
import type { OwnSignIn } from "./security";
import { Sessions } from "./sessions";

// Not rendered on the server: values that a browser fills in before the script runs would be lost.
const PasswordForm = onDemand(
  () => import("./password-form").then((module) => module.PasswordForm),
  () => <Box h={200} />,
);

function ChangePassword({ own }: { own: OwnSignIn }) {
  const t = useTranslations("security");
  return (
    <Card title={t("passwordTitle")} text={t(own.hasTotp ? "passwordTextTotp" : "passwordText")}>
      <PasswordForm own={own} />
    </Card>
  );
}

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
