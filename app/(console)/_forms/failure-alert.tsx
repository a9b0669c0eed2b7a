import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Failed } from "../_components/failure";
import { useFailure } from "../_components/use-failure";

type Props = {
  /** Why what was sent was refused. */
  error: Failed | null;
  /** What has to be done before the form can be sent; null: nothing. */
  problem?: string | null;
  /** Says what failed, where a change of the account's is not meant. */
  title?: string;
};

/** Beside a form's button: why it did nothing. Said aloud when it appears. */
export function FailureAlert({ error, problem = null, title }: Props) {
  const failure = useFailure();
  const shown = error && failure(error);
  return (
    (problem !== null || shown) && (
      <Alert
        color="red"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title={problem === null ? (title ?? shown?.title) : undefined}
      >
        {problem ?? shown?.text}
      </Alert>
    )
  );
}
