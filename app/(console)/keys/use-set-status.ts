import { notifications } from "@mantine/notifications";
import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/trpc";
import type { KeyDetail, KeyRow } from "./key";

type Status = KeyRow["status"];
type Page = { rows: KeyRow[]; nextCursor: string | null };

const inPages = (data: InfiniteData<Page> | undefined, keyId: string, status: Status) =>
  data && {
    ...data,
    pages: data.pages.map((page) => ({
      ...page,
      rows: page.rows.map((row) => (row.id === keyId ? { ...row, status } : row)),
    })),
  };

/** Switches a key on or off: on screen at once, and back when the server refuses. */
export function useSetStatus({ id, name }: Pick<KeyRow, "id" | "name">) {
  const t = useTranslations("keys");
  const trpc = useTRPC();
  const client = useQueryClient();
  const { mutate } = useMutation(
    trpc.keys.setStatus.mutationOptions({
      // One after the other: whoever changes their mind at once gets what they chose last.
      scope: { id },
      onMutate: async ({ status }) => {
        const all = { queryKey: trpc.keys.pathKey() };
        await client.cancelQueries(all);
        const before = client.getQueriesData(all);
        client.setQueriesData<InfiniteData<Page>>({ queryKey: trpc.keys.list.pathKey() }, (data) =>
          inPages(data, id, status),
        );
        client.setQueryData<KeyDetail>(
          trpc.keys.get.queryKey({ keyId: id }),
          (key) => key && { ...key, status },
        );
        return { before };
      },
      onError: (_error, _input, context) => {
        for (const [queryKey, data] of context?.before ?? []) {
          client.setQueryData(queryKey, data);
        }
      },
      onSuccess: (_data, { status }) => {
        const message = status === "active" ? "enabledNotice" : "disabledNotice";
        notifications.show({ message: t(message, { name }), role: "status" });
      },
    }),
  );
  return (status: Status) => mutate({ keyId: id, status });
}
