import { Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { NewSecret } from "./new-secret";

type Props<Created> = {
  title: string;
  /** The title once there is a secret. */
  createdTitle: string;
  /** Names the secret for screen readers. */
  label: string;
  form: (onCreated: (created: Created) => void) => ReactNode;
  /** Shown below the secret: what to do with it. `onTaken`: to call when it was saved there. */
  children: (created: Created, onTaken: () => void) => ReactNode;
  onClose: () => void;
};

/** Creates an object and shows its secret, once. Asks for confirmation before it closes without a copy. */
export function SecretDialog<Created extends { secret: string }>(props: Props<Created>) {
  const { title, createdTitle, label, form, children, onClose } = props;
  const [created, setCreated] = useState<Created | null>(null);
  const [isTaken, setTaken] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const markTaken = () => setTaken(true);
  const close = () => {
    if (created && !isTaken && !isAsked) {
      setAsked(true);
    } else {
      onClose();
    }
  };
  return (
    <Modal
      opened
      size="lg"
      title={created ? createdTitle : title}
      closeOnClickOutside={false}
      onClose={close}
    >
      {created ? (
        <NewSecret
          secret={created.secret}
          label={label}
          isAsked={isAsked}
          onTaken={markTaken}
          onBack={() => setAsked(false)}
          onClose={close}
        >
          {children(created, markTaken)}
        </NewSecret>
      ) : (
        form(setCreated)
      )}
    </Modal>
  );
}
