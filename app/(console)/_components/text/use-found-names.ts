import { useQuery } from "@tanstack/react-query";
import { useLocale, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { Found } from "@/app/docs/search";
import { useTRPC } from "../data/trpc";
import { useMay } from "../shell/viewer";

/** A destination of the palette. `kind`: what the name stands for, if the name does not say so. */
export type Command = { href: string; label: string; kind?: string };

/** A shorter text would match nearly every name. */
const MIN_CHARACTERS = 2;
/** Results of each kind. The full lists, which have filters, show more. */
const MAX_EACH = 5;

const hasPart = (part: string) => (name: string) => name.toLowerCase().includes(part.toLowerCase());

/** Sections of the documentation. */
export function useDocs(part: string): Command[] {
  const t = useTranslations("shell");
  const locale = useLocale();
  const enabled = part.length >= MIN_CHARACTERS;
  const { data } = useQuery({
    queryKey: ["docs", locale, part],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const answer = await fetch(addresses.docFindings({ q: part }), { signal });
      return answer.ok ? ((await answer.json()) as Found[]) : [];
    },
    enabled,
  });
  return (enabled ? (data ?? []) : []).map(({ href, page, heading }) => ({
    href,
    label: heading === null ? page : `${page} › ${heading}`,
    kind: t("kinds.doc"),
  }));
}

/** Keys and models of an owner's account by a part of their name. `part`: empty for operators. */
export function useOwnNames(part: string): Command[] {
  const t = useTranslations("shell");
  const trpc = useTRPC();
  const enabled = part.length >= MIN_CHARACTERS;
  const keys = useQuery({ ...trpc.keys.list.queryOptions({ search: part.slice(0, 100) }), enabled });
  const models = useQuery({ ...trpc.models.list.queryOptions({}), enabled });
  if (!enabled) {
    return [];
  }
  const matches = models.data?.filter(({ id }) => hasPart(part)(id)) ?? [];
  return [
    ...(keys.data?.rows.slice(0, MAX_EACH) ?? []).map(({ id, name, lastFour }) => ({
      href: addresses.key(id),
      label: `${name} …${lastFour}`,
      kind: t("kinds.key"),
    })),
    ...matches.slice(0, MAX_EACH).map(({ id }) => ({
      href: addresses.requests({ model: id }),
      label: id,
      kind: t("kinds.model"),
    })),
  ];
}

/** Accounts, channels and other objects of operators by a part of their name. */
export function useAllNames(part: string): Command[] {
  const t = useTranslations("shell");
  const trpc = useTRPC();
  const enabled = part.length >= MIN_CHARACTERS;
  const search = part.slice(0, 100);
  const accounts = useQuery({ ...trpc.accounts.list.queryOptions({ search }), enabled });
  const keys = useQuery({ ...trpc.accounts.keys.list.queryOptions({ search }), enabled });
  const mayChannels = useMay("channels.read");
  const channels = useQuery({ ...trpc.channels.list.queryOptions({}), enabled: enabled && mayChannels });
  const models = useQuery({ ...trpc.prices.list.queryOptions({}), enabled });
  const mayPeople = useMay("people.read");
  const users = useQuery({ ...trpc.users.list.queryOptions({}), enabled: enabled && mayPeople });
  if (!enabled) {
    return [];
  }
  const named = <Row>(rows: readonly Row[] | undefined, kind: string, command: (row: Row) => Command) =>
    (rows ?? []).slice(0, MAX_EACH).map((row) => ({ ...command(row), kind }));
  const isFound = hasPart(part);
  return [
    ...named(accounts.data?.rows, t("kinds.account"), ({ id, name }) => ({
      href: addresses.account(id),
      label: name,
    })),
    ...named(
      channels.data?.filter(({ name }) => isFound(name)),
      t("kinds.channel"),
      ({ id, name }) => ({ href: addresses.channel(id), label: name }),
    ),
    ...named(
      models.data?.models.filter(({ id }) => isFound(id)),
      t("kinds.model"),
      ({ id }) => ({ href: addresses.price(id), label: id }),
    ),
    ...named(keys.data?.rows, t("kinds.key"), ({ id, accountId, name, lastFour }) => ({
      href: addresses.allRequests({ account: accountId, key: id }),
      label: `${name} …${lastFour}`,
    })),
    ...named(
      users.data?.filter(({ email }) => isFound(email)),
      t("kinds.user"),
      ({ email }) => ({ href: addresses.users(), label: email }),
    ),
  ];
}
