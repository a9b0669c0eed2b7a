import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type Failed, useFailure } from "../_components/failure";

/** Why the server did not take a form. */
export function Refused({ error }: { error: Failed | null }) {
  const failure = useFailure();
  if (!error) {
    return null;
  }
  const { title, text } = failure(error);
  return (
    <Alert color="red" role="alert" title={title} icon={<IconAlertTriangle aria-hidden />}>
      {text}
    </Alert>
  );
}
