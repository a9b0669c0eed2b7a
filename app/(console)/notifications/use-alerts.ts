import { useMutation, useQuery } from "@tanstack/react-query";
import { useTRPC } from "../_components/data/trpc";
import { useSide } from "../_components/shell/viewer";
import { alertLists } from "./alerts";

const useIsOwner = () => useSide() === "owner";

export function useAlerts() {
  const isOwner = useIsOwner();
  const lists = alertLists(useTRPC());
  const own = useQuery({ ...lists.owner, enabled: isOwner });
  const operators = useQuery({ ...lists.operator, enabled: !isOwner });
  return isOwner ? own : operators;
}

export function useSetAlerts(onSuccess: () => void) {
  const isOwner = useIsOwner();
  const { alerts, installationAlerts } = useTRPC();
  const options = { meta: { showsFailure: true }, onSuccess };
  const own = useMutation(alerts.set.mutationOptions(options));
  const operators = useMutation(installationAlerts.set.mutationOptions(options));
  return isOwner ? own : operators;
}

export function useTestAlert(onSuccess: () => void) {
  const isOwner = useIsOwner();
  const { alerts, installationAlerts } = useTRPC();
  const own = useMutation(alerts.test.mutationOptions({ onSuccess }));
  const operators = useMutation(installationAlerts.test.mutationOptions({ onSuccess }));
  return isOwner ? own : operators;
}
