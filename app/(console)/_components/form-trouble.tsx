import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useFailure } from "./failure";

type Props = {
  /** What has to be done before the form can be sent; null: nothing. */
  problem: string | null;
  /** Why what was sent was refused. */
  error: Parameters<ReturnType<typeof useFailure>>[0] | null;
};

/** Beside a form's button: why it did nothing. Said aloud when it appears. */
export function FormTrouble({ problem, error }: Props) {
  const failure = useFailure();
  const shown = error && failure(error);
  return (
    <div role="alert">
      {(problem || shown) && (
        <Alert
          color="red"
          icon={<IconAlertTriangle aria-hidden />}
          title={problem === null ? shown?.title : undefined}
        >
          {problem ?? shown?.text}
        </Alert>
      )}
    </div>
  );
}
