import { Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { NewSecret } from "./new-secret";

type Props<Created> = {
  title: string;
  /** Once there is a secret. */
  createdTitle: string;
  /** Names the secret for who cannot see it. */
  label: string;
  form: (onCreated: (created: Created) => void) => ReactNode;
  /** What to do with the secret, below it. `onTaken`: it was saved there. */
  children: (created: Created, onTaken: () => void) => ReactNode;
  onClose: () => void;
};

/** Makes something and shows its secret, once. Somebody who closes it without a copy is asked whether they mean it. */
export function SecretDialog<Created extends { secret: string }>(props: Props<Created>) {
  const { title, createdTitle, label, form, children, onClose } = props;
  const [created, setCreated] = useState<Created | null>(null);
  const [isTaken, setTaken] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const taken = () => setTaken(true);
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
          onTaken={taken}
          onBack={() => setAsked(false)}
          onClose={close}
        >
          {children(created, taken)}
        </NewSecret>
      ) : (
        form(setCreated)
      )}
    </Modal>
  );
}
