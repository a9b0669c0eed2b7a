import { useMutation, useQuery } from "@tanstack/react-query";
import { KeptResponses } from "../_components/cards/kept-responses";
import { useTRPC } from "../_components/data/trpc";
import { useMay } from "../_components/shell/viewer";

/** The owner's switch for kept responses; it applies to all keys of the account. */
export function OwnResponses() {
  const trpc = useTRPC();
  const mayChange = useMay("responses.write");
  const { data } = useQuery(trpc.account.get.queryOptions());
  const { mutate, isPending } = useMutation(trpc.account.setStoresResponses.mutationOptions());
  return (
    data && (
      <KeptResponses
        isOn={data.storesResponses}
        isPending={isPending}
        mayChange={mayChange}
        onSwitch={(isOn) => mutate({ storesResponses: isOn })}
      />
    )
  );
}
