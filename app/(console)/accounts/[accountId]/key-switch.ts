import { notifications } from "@mantine/notifications";
import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/trpc";
import type { AccountKey } from "../account";

type Pages = InfiniteData<{ rows: AccountKey[]; nextCursor: string | null }, string | null>;

const withStatus = (pages: Pages | undefined, change: { keyId: string; status: AccountKey["status"] }) =>
  pages && {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      rows: page.rows.map((key) => (key.id === change.keyId ? { ...key, status: change.status } : key)),
    })),
  };

/** Switches a key on the screen at once, and back again when the server refuses. */
export function useKeySwitch(accountId: string) {
  const t = useTranslations("accounts");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const list = { queryKey: trpc.accounts.keys.list.infiniteQueryKey({ accountId }) };
  return useMutation(
    trpc.accounts.keys.setStatus.mutationOptions({
      onMutate: async (change) => {
        await queries.cancelQueries(list);
        const before = queries.getQueryData<Pages>(list.queryKey);
        queries.setQueryData<Pages>(list.queryKey, (pages) => withStatus(pages, change));
        return { before };
      },
      onError: (_error, _change, context) => {
        queries.setQueryData(list.queryKey, context?.before);
      },
      onSuccess: (_, { keyId, status }) => {
        const rows = queries.getQueryData<Pages>(list.queryKey)?.pages.flatMap((page) => page.rows) ?? [];
        const name = rows.find((key) => key.id === keyId)?.name ?? keyId;
        const message = t(status === "active" ? "keyEnabled" : "keyDisabled", { name });
        notifications.show({ color: "green", message });
      },
    }),
  );
}
