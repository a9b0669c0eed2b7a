import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { useInstallation } from "../../_components/text/installation";
import { FailureAlert } from "../../_forms/failure-alert";
import { useDraft } from "../../_forms/use-draft";
import type { ChannelDetail, ChannelOffers } from "../channel";
import { ModelSchedule } from "./model-schedule";
import { freshOf, OfferFields } from "./offer-fields";
import { PasteBox } from "./paste-box";
import { noSaleProblems, saleOf, saleProblemsOf, startingDraft } from "./sale-draft";

type Props = { channel: Pick<ChannelDetail, "id" | "name">; onSaved: () => void };

/** New models to add, and models to drop that the vendor has no longer. */
function ChangedModels({ channel, onSaved, found }: Props & { found: ChannelOffers }) {
  const t = useTranslations("sale");
  const common = useTranslations("common");
  const format = useFormatter();
  const { currency: own } = useInstallation();
  const currencies = { list: found.currency, own };
  const offers = freshOf(found.offers);
  const [dropsGone, setDropsGone] = useState(found.gone.length > 0);
  const sale = useMutation(
    useTRPC().channels.sell.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ onSale }) => {
        notifications.show({ message: t("addedNotice", { count: onSale.length }), role: "status" });
        onSaved();
      },
    }),
  );
  const { form, draft, problems, isRefused, onChange } = useDraft(startingDraft(offers), {
    problemsOf: (typed) => {
      const { chosen, ...others } = saleProblemsOf(typed, { offers, currencies });
      return chosen && !dropsGone ? { chosen, ...others } : others;
    },
    none: noSaleProblems,
    send: (typed) =>
      sale.mutate({
        channelId: channel.id,
        ...saleOf(typed, offers, currencies),
        ...(dropsGone && { drops: found.gone }),
      }),
  });
  if (offers.length === 0 && found.gone.length === 0) {
    return <Text size="sm">{t("nothingNew", { count: found.offers.length })}</Text>;
  }
  return (
    <form {...form}>
      <Stack>
        <Text fw={600} role="status">
          {t("changes", { added: offers.length, gone: found.gone.length })}
        </Text>
        {found.gone.length > 0 && (
          <Checkbox
            label={t("drop", { names: format.list(found.gone) })}
            checked={dropsGone}
            onChange={({ currentTarget }) => setDropsGone(currentTarget.checked)}
          />
        )}
        {offers.length > 0 && (
          <OfferFields list={found.list} {...{ offers, draft, problems, currencies, onChange }} />
        )}
        <FailureAlert problem={isRefused ? common("fixFirst") : null} error={sale.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={sale.isPending} disabled={draft.chosen.size === 0 && !dropsGone}>
            {t("addAction", { added: draft.chosen.size, gone: dropsGone ? found.gone.length : 0 })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Compares a channel's models with its vendor's list. */
export function VendorModels({ channel, onSaved }: Props) {
  const t = useTranslations("sale");
  const listing = useMutation(
    useTRPC().channels.offersOfChannel.mutationOptions({ meta: { showsFailure: true } }),
  );
  const found = listing.data;
  const check = (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={listing.isPending}
      onClick={() => listing.mutate({ channelId: channel.id })}
    >
      {t("check")}
    </Button>
  );
  return (
    <Card title={t("vendorModels")} text={t("vendorModelsText")} aside={check}>
      <ModelSchedule channelId={channel.id} />
      <FailureAlert error={listing.error} />
      {found?.failure && (
        <PasteBox
          failure={found.failure}
          isPending={listing.isPending}
          onNames={(names) => listing.mutate({ channelId: channel.id, names })}
        />
      )}
      {found && !found.failure && (
        <ChangedModels
          key={JSON.stringify(found.offers.map(({ upstreamName }) => upstreamName))}
          {...{ channel, onSaved, found }}
        />
      )}
    </Card>
  );
}
