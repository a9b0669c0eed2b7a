import { Anchor } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { ChoiceSelect } from "../../_components/fields/choice-select";
import { optionalQuery } from "../../_components/shell/stale-note";
import { ChangeFields } from "../../_components/shell/viewer";
import { Dimmed } from "../../_components/tables/dimmed";
import { useFactorWords } from "../../prices/groups/use-factor-words";
import type { Account } from "../account";

/** The account's price group. Shows the stored state: the choice changes when the server has saved it. */
export function AccountPriceGroup({ account: { id: accountId, name, priceGroupId } }: { account: Account }) {
  const t = useTranslations("priceGroups");
  const trpc = useTRPC();
  const factorWords = useFactorWords();
  const { data: groups = [] } = useQuery(trpc.prices.groups.queryOptions({}, optionalQuery));
  const find = (id: string | null) => groups.find((group) => group.id === id);
  const { mutate, isPending } = useMutation(
    trpc.accounts.setPriceGroup.mutationOptions({
      onSuccess: (_data, chosen) => {
        const group = find(chosen.priceGroupId)?.name;
        const message = group ? t("assignedNotice", { name, group }) : t("unassignedNotice", { name });
        notifications.show({ message, role: "status" });
      },
    }),
  );
  const nameOf = (id: string) => {
    const group = find(id);
    return group ? t("named", { name: group.name, times: factorWords(group.factor).times }) : id;
  };
  const own = find(priceGroupId)?.models.length ?? 0;
  return (
    <Card
      title={t("group")}
      aside={
        <Anchor component={Link} href={addresses.priceGroups()} size="sm">
          {t("all")}
        </Anchor>
      }
    >
      <ChangeFields to="prices.write">
        <ChoiceSelect
          maw={420}
          aria-label={t("group")}
          aria-busy={isPending}
          any={t("usualPrices")}
          choices={[...new Set([...groups.map(({ id }) => id), ...(priceGroupId ? [priceGroupId] : [])])]}
          nameOf={nameOf}
          value={priceGroupId}
          onChange={(chosen) => {
            if (!isPending) {
              mutate({ accountId, priceGroupId: chosen });
            }
          }}
        />
      </ChangeFields>
      <Dimmed maw={620}>{priceGroupId ? t("assignedHint", { count: own }) : t("usualHint")}</Dimmed>
    </Card>
  );
}
