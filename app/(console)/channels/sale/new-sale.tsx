import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { FailureAlert } from "../../_forms/failure-alert";
import { useDraft } from "../../_forms/use-draft";
import type { ChannelChoices, Offers, Sale } from "../channel";
import { PasteBox } from "./paste-box";
import { SaleStep } from "./sale-step";
import { Sold } from "./sold";
import { emptySource, endpointOf, type SourceDraft, sourceProblemsOf } from "./source-draft";
import { SourceFields } from "./source-fields";

/** The vendor's answer, with the source that gave it: later edits of the first step do not change the sale. */
type Found = { source: SourceDraft; offers: Offers };

/** Moves the focus to the step that appeared. */
function useStepFocus(step: unknown) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (step) {
      ref.current?.focus({ preventScroll: true });
      ref.current?.scrollIntoView({ block: "start", behavior: "smooth" });
    }
  }, [step]);
  return ref;
}

/** A new channel in three steps: vendor and key, models and prices, test and sale. */
export function NewSale({ choices }: { choices: ChannelChoices }) {
  const t = useTranslations("sale");
  const [found, setFound] = useState<Found | null>(null);
  const [sale, setSale] = useState<Sale | null>(null);
  const listing = useMutation(
    useTRPC().channels.offersOfVendor.mutationOptions({ meta: { showsFailure: true } }),
  );
  const ask = (source: SourceDraft, names?: string[]) =>
    listing.mutate(
      { ...endpointOf(source), secret: source.secret.trim(), ...(names && { names }) },
      { onSuccess: (offers) => setFound({ source, offers }) },
    );
  const { form, draft, problems, onChange } = useDraft(emptySource, {
    problemsOf: sourceProblemsOf,
    none: {},
    send: (source) => ask(source),
  });
  const ref = useStepFocus(found);
  if (sale) {
    return <Sold sale={sale} />;
  }
  return (
    <Stack>
      <form {...form}>
        <Card title={t("stepSource")}>
          <SourceFields {...{ draft, problems, onChange }} vendors={choices.vendors} />
          <FailureAlert error={listing.error} />
          <Group justify="space-between">
            <Button
              component={Link}
              href={addresses.newChannel({ byHand: true })}
              variant="subtle"
              size="compact-sm"
            >
              {t("byHand")}
            </Button>
            <Button type="submit" loading={listing.isPending} variant={found ? "default" : "filled"}>
              {t("listModels")}
            </Button>
          </Group>
        </Card>
      </form>
      {found && (
        <div ref={ref} tabIndex={-1} className="step">
          {found.offers.failure ? (
            <Card title={t("stepModels")}>
              <PasteBox
                failure={found.offers.failure}
                isPending={listing.isPending}
                onNames={(names) => ask(found.source, names)}
              />
            </Card>
          ) : (
            <SaleStep
              key={JSON.stringify(found.offers.offers.map(({ upstreamName }) => upstreamName))}
              source={found.source}
              found={found.offers}
              onSold={setSale}
            />
          )}
        </div>
      )}
    </Stack>
  );
}
