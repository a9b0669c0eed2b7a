import { Anchor, Modal, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { currentAddress, signInAddress } from "@/app/sign-in/return-address";
import { SignInForm } from "@/app/sign-in/sign-in-form";

type Props = { email: string; onSignedIn: () => void };

/**
 * A sign-in dialog over the page of a user whose session has ended. The page and its half-filled forms stay. Only the
 * same user may continue; for any other user nothing of this page may stay in memory.
 */
export function SignInAgain({ email, onSignedIn }: Props) {
  const t = useTranslations("signIn");
  return (
    <Modal.Root
      opened
      centered
      onClose={() => {}}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={300}
    >
      <Modal.Overlay />
      {/* The attribute keeps Escape from the dialog below, which would close with what was typed into it. */}
      <Modal.Content data-mantine-stop-propagation="true">
        <Modal.Header>
          <Modal.Title>{t("againTitle")}</Modal.Title>
        </Modal.Header>
        <Modal.Body>
          <Stack>
            <Text size="sm">{t("againText")}</Text>
            <SignInForm email={email} onSignedIn={onSignedIn} />
            <Anchor
              size="sm"
              component="button"
              type="button"
              data-mantine-stop-propagation="true"
              onClick={() => window.location.assign(signInAddress(currentAddress()))}
            >
              {t("asSomebodyElse")}
            </Anchor>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
