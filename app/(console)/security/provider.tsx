import { Alert, Button, Group, Text } from "@mantine/core";
import { IconLink, IconLinkOff } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { signIn } from "next-auth/react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { ProviderError } from "@/app/sign-in/provider-error";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { useTRPC } from "../_components/data/trpc";
import { StatusBadge } from "../_components/tables/status-badge";
import { leaveToSignIn, type OwnSignIn } from "./security";

const ProofDialog = onDemand(() => import("./proof-dialog").then((module) => module.ProofDialog));

type Props = { own: OwnSignIn; name: string };

/** Asks for a proof, then opens the provider, which leads back here. */
function LinkDialog({ own, name, onClose }: Props & { onClose: () => void }) {
  const t = useTranslations("security");
  const begin = useMutation(
    useTRPC().security.beginLink.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => signIn("oidc", { callbackUrl: addresses.security() }),
    }),
  );
  return (
    <ProofDialog
      title={t("linkTitle", { name })}
      text={t("linkText", { name })}
      action={t("continue")}
      hasCodes={own.hasTotp}
      change={begin}
      onClose={onClose}
    />
  );
}

function UnlinkDialog({ own, name, onClose }: Props & { onClose: () => void }) {
  const t = useTranslations("security");
  const unlink = useMutation(
    useTRPC().security.unlink.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => leaveToSignIn("identityUnlinked"),
    }),
  );
  return (
    <ProofDialog
      title={t("unlinkTitle", { name })}
      text={t("unlinkText")}
      action={t("unlinkAction")}
      isDanger
      hasCodes={own.hasTotp}
      change={unlink}
      onClose={onClose}
    />
  );
}

/** The user's identity at the provider, with which they can sign in without a password. */
export function Provider({ own, name, refusal }: Props & { refusal: ProviderError | null }) {
  const t = useTranslations("security");
  const signInTexts = useTranslations("signIn");
  const [isAsking, setAsking] = useState(false);
  const { linkedTo } = own;
  const Dialog = linkedTo === null ? LinkDialog : UnlinkDialog;
  return (
    <Card
      title={
        <>
          {t("providerTitle", { name })}{" "}
          <StatusBadge
            tone={linkedTo === null ? "quiet" : "good"}
            icon={linkedTo === null ? IconLinkOff : IconLink}
          >
            {t(linkedTo === null ? "notLinked" : "linked")}
          </StatusBadge>
        </>
      }
      text={t("providerText", { name })}
    >
      {refusal && (
        <Alert color="red" role="alert">
          {signInTexts(refusal)}
        </Alert>
      )}
      {linkedTo !== null && (
        <Text size="sm" className="wrap-anywhere">
          {t("linkedTo", { issuer: linkedTo })}
        </Text>
      )}
      {own.hasPassword ? (
        <Group>
          <Button variant="default" onClick={() => setAsking(true)}>
            {t(linkedTo === null ? "link" : "unlink")}
          </Button>
        </Group>
      ) : (
        <Text size="sm">{t("unlinkNeedsPassword")}</Text>
      )}
      {isAsking && <Dialog own={own} name={name} onClose={() => setAsking(false)} />}
    </Card>
  );
}
