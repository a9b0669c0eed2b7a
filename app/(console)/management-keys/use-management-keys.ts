import { useMutation, useQuery } from "@tanstack/react-query";
import { useTRPC } from "../_components/data/trpc";
import { useSide } from "../_components/shell/viewer";
import { type ManagementKeyTerms, managementKeyLists, type NewManagementKey } from "./management-key";

/** Whether the keys are an account's; else they are the installation's. */
const useIsOwner = () => useSide() === "owner";

export function useManagementKeys() {
  const isOwner = useIsOwner();
  const lists = managementKeyLists(useTRPC());
  const own = useQuery({ ...lists.owner, enabled: isOwner });
  const installations = useQuery({ ...lists.operator, enabled: !isOwner });
  return isOwner ? own : installations;
}

export function useCreateManagementKey(onSuccess: (created: NewManagementKey) => void) {
  const isOwner = useIsOwner();
  const { managementKeys, installationKeys } = useTRPC();
  const options = { meta: { showsFailure: true }, onSuccess };
  const own = useMutation(managementKeys.create.mutationOptions(options));
  const installations = useMutation(installationKeys.create.mutationOptions(options));
  const { isPending, error } = isOwner ? own : installations;
  const create = (terms: ManagementKeyTerms) =>
    isOwner ? own.mutate(terms) : installations.mutate({ ...terms, accountId: null });
  return { create, isPending, error };
}

export function useRevokeManagementKey(onSuccess: () => void) {
  const isOwner = useIsOwner();
  const { managementKeys, installationKeys } = useTRPC();
  const own = useMutation(managementKeys.revoke.mutationOptions({ onSuccess }));
  const installations = useMutation(installationKeys.revoke.mutationOptions({ onSuccess }));
  return isOwner ? own : installations;
}
