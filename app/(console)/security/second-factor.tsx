import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconLockOff, IconShieldCheck } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { useTRPC } from "../_components/data/trpc";
import { StatusBadge } from "../_components/tables/status-badge";
import { leaveToSignIn, type OwnSignIn, renewSession } from "./security";

const ProofDialog = onDemand(() => import("./proof-dialog").then((module) => module.ProofDialog));
const SetupDialog = onDemand(() => import("./setup-dialog").then((module) => module.SetupDialog));
const RecoveryCodes = onDemand(() => import("./recovery-codes").then((module) => module.RecoveryCodes));

type DialogProps = { own: OwnSignIn; onClose: () => void; onCodes: (codes: string[]) => void };

function DisableDialog({ own, onClose }: DialogProps) {
  const t = useTranslations("security");
  const disable = useMutation(
    useTRPC().security.disableTotp.mutationOptions({
      meta: { showsFailure: true },
      // The change has ended this session too. A user who proved with a code did not type the password that a new
      // session needs.
      onSuccess: async (_, { proof }) => {
        if (!("password" in proof)) {
          return await leaveToSignIn("totpDisabled");
        }
        await renewSession({ email: own.email, password: proof.password }, { otherwise: "totpDisabled" });
        notifications.show({ color: "green", message: t("totpDisabled"), role: "status" });
        onClose();
      },
    }),
  );
  return (
    <ProofDialog
      title={t("disableTitle")}
      text={t("disableText")}
      action={t("turnOff")}
      isDanger
      change={disable}
      onClose={onClose}
    />
  );
}

function RenewDialog({ onClose, onCodes }: DialogProps) {
  const t = useTranslations("security");
  const renew = useMutation(
    useTRPC().security.renewRecoveryCodes.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ codes }) => onCodes(codes),
    }),
  );
  return (
    <ProofDialog
      title={t("renewTitle")}
      text={t("renewText")}
      action={t("renew")}
      change={renew}
      onClose={onClose}
    />
  );
}

function TurnOn({ onCodes }: Pick<DialogProps, "onCodes">) {
  const t = useTranslations("security");
  const [isAsked, setAsked] = useState(false);
  const begin = useMutation(
    useTRPC().security.beginTotp.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => setAsked(false),
    }),
  );
  const close = () => {
    setAsked(false);
    begin.reset();
  };
  return (
    <>
      <Group>
        <Button leftSection={<IconShieldCheck size={16} aria-hidden />} onClick={() => setAsked(true)}>
          {t("turnOn")}
        </Button>
      </Group>
      {isAsked && (
        <ProofDialog
          title={t("setupTitle")}
          text={t("setupProof")}
          action={t("continue")}
          hasCodes={false}
          change={begin}
          onClose={close}
        />
      )}
      {begin.data && <SetupDialog totp={begin.data} onEnabled={onCodes} onClose={close} />}
    </>
  );
}

function TurnedOn({ own, onCodes }: Omit<DialogProps, "onClose">) {
  const t = useTranslations("security");
  const [dialogName, setDialogName] = useState<"disable" | "renew" | null>(null);
  const onClose = () => setDialogName(null);
  const dialog = {
    own,
    onClose,
    onCodes: (codes: string[]) => {
      onClose();
      onCodes(codes);
    },
  };
  return (
    <>
      <Text size="sm">{t("codesLeft", { count: own.recoveryCodesLeft })}</Text>
      <Group>
        <Button variant="default" onClick={() => setDialogName("renew")}>
          {t("renewCodes")}
        </Button>
        <Button variant="light" color="red" onClick={() => setDialogName("disable")}>
          {t("turnOff")}
        </Button>
      </Group>
      {dialogName === "disable" && <DisableDialog {...dialog} />}
      {dialogName === "renew" && <RenewDialog {...dialog} />}
    </>
  );
}

/** The second factor: codes of an authenticator app. */
export function SecondFactor({ own }: { own: OwnSignIn }) {
  const t = useTranslations("security");
  // The codes are kept here because turning the factor on replaces its dialog while they are shown.
  const [codes, setCodes] = useState<string[] | null>(null);
  const badge = own.hasTotp ? (
    <StatusBadge tone="good" icon={IconShieldCheck}>
      {t("on")}
    </StatusBadge>
  ) : (
    <StatusBadge tone="quiet" icon={IconLockOff}>
      {t("off")}
    </StatusBadge>
  );
  return (
    <Card
      title={
        <>
          {t("totpTitle")} {badge}
        </>
      }
      text={t("totpText")}
    >
      {own.hasTotp ? <TurnedOn own={own} onCodes={setCodes} /> : <TurnOn onCodes={setCodes} />}
      {codes && <RecoveryCodes email={own.email} codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}
