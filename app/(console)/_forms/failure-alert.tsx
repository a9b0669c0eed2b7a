import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Failed } from "../_components/data/failure";
import { useFailure } from "../_components/data/use-failure";

type Props = {
  /** The server's refusal. */
  error: Failed | null;
  /** The step that the user has to take before the form can be sent; null: none. */
  problem?: string | null;
  /** The title if the failed call was not a change. */
  title?: string;
};

/** Next to a form's button: why the form was not sent or was refused. Screen readers announce it. */
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
