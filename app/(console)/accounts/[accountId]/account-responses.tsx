import { useMutation } from "@tanstack/react-query";
import { KeptResponses } from "../../_components/cards/kept-responses";
import { useTRPC } from "../../_components/data/trpc";
import { useMay } from "../../_components/shell/viewer";
import type { Account } from "../account";

/** The account's switch for kept responses, on the operator's side. */
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
