import { useMutation, useQuery } from "@tanstack/react-query";
import { useTRPC } from "../_components/data/trpc";
import { useSide } from "../_components/shell/viewer";
import { type NewWebhook, webhookLists } from "./webhook";

/** Whether the webhooks are an account's; else they are the operators'. */
const useIsOwner = () => useSide() === "owner";

export function useWebhooks() {
  const isOwner = useIsOwner();
  const lists = webhookLists(useTRPC());
  const own = useQuery({ ...lists.owner, enabled: isOwner });
  const operators = useQuery({ ...lists.operator, enabled: !isOwner });
  return isOwner ? own : operators;
}

/** How often a visible page refreshes the deliveries. */
const refetchInterval = 3_000;

export function useDeliveries(webhookId: string) {
  const isOwner = useIsOwner();
  const { webhooks, installationWebhooks } = useTRPC();
  const options = { webhookId };
  const own = useQuery({
    ...webhooks.deliveries.queryOptions(options),
    ...{ refetchInterval, enabled: isOwner },
  });
  const operators = useQuery({
    ...installationWebhooks.deliveries.queryOptions(options),
    ...{ refetchInterval, enabled: !isOwner },
  });
  return isOwner ? own : operators;
}

type WithSecret = { onSuccess: (made: NewWebhook) => void };

export function useCreateWebhook({ onSuccess }: WithSecret) {
  const isOwner = useIsOwner();
  const { webhooks, installationWebhooks } = useTRPC();
  const options = { meta: { showsFailure: true }, onSuccess };
  const own = useMutation(webhooks.create.mutationOptions(options));
  const operators = useMutation(installationWebhooks.create.mutationOptions(options));
  return isOwner ? own : operators;
}

export function useRotateWebhook({ onSuccess }: WithSecret) {
  const isOwner = useIsOwner();
  const { webhooks, installationWebhooks } = useTRPC();
  const options = { meta: { showsFailure: true }, onSuccess };
  const own = useMutation(webhooks.rotate.mutationOptions(options));
  const operators = useMutation(installationWebhooks.rotate.mutationOptions(options));
  return isOwner ? own : operators;
}

export function useUpdateWebhook() {
  const isOwner = useIsOwner();
  const { webhooks, installationWebhooks } = useTRPC();
  const own = useMutation(webhooks.update.mutationOptions());
  const operators = useMutation(installationWebhooks.update.mutationOptions());
  return isOwner ? own : operators;
}

export function useRemoveWebhook(onSuccess: () => void) {
  const isOwner = useIsOwner();
  const { webhooks, installationWebhooks } = useTRPC();
  const own = useMutation(webhooks.remove.mutationOptions({ onSuccess }));
  const operators = useMutation(installationWebhooks.remove.mutationOptions({ onSuccess }));
  return isOwner ? own : operators;
}

export function useTestWebhook(onSuccess: () => void) {
  const isOwner = useIsOwner();
  const { webhooks, installationWebhooks } = useTRPC();
  const own = useMutation(webhooks.test.mutationOptions({ onSuccess }));
  const operators = useMutation(installationWebhooks.test.mutationOptions({ onSuccess }));
  return isOwner ? own : operators;
}

export function useRedeliver() {
  const isOwner = useIsOwner();
  const { webhooks, installationWebhooks } = useTRPC();
  const own = useMutation(webhooks.redeliver.mutationOptions());
  const operators = useMutation(installationWebhooks.redeliver.mutationOptions());
  return isOwner ? own : operators;
}
