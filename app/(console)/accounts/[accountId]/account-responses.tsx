import { useMutation } from "@tanstack/react-query";
import { KeptResponses } from "../../_components/kept-responses";
import { useTRPC } from "../../_components/trpc";
import { useMay } from "../../_components/viewer";
import type { Account } from "../account";

/** An account's switch as its operator has it. */
export function AccountResponses({ account: { id: accountId, storesResponses } }: { account: Account }) {
  const { mutate, isPending } = useMutation(useTRPC().accounts.setStoresResponses.mutationOptions());
  return (
    <KeptResponses
      isOn={storesResponses}
      isPending={isPending}
      mayChange={useMay("responses.write")}
      onSwitch={(isOn) => mutate({ accountId, storesResponses: isOn })}
    />
  );
}
