import { Alert, Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { useInstallation } from "../../_components/text/installation";
import { FailureAlert } from "../../_forms/failure-alert";
import { useDraft } from "../../_forms/use-draft";
import type { Offers, Sale } from "../channel";
import { TestResult, TestWaiting } from "../test-result";
import { OfferFields } from "./offer-fields";
import {
  noSaleProblems,
  type SaleDraft,
  saleOf,
  saleProblemsOf,
  startingDraft,
  testedOf,
} from "./sale-draft";
import { endpointOf, type SourceDraft } from "./source-draft";

type Props = { source: SourceDraft; found: Offers; onSold: (sale: Sale) => void };

/** Makes one real call and, if the call succeeds, the sale. */
function useTestAndSell({ source, found, onSold }: Props, currencies: { list: string; own: string }) {
  const { channels } = useTRPC();
  const meta = { showsFailure: true };
  const test = useMutation(channels.testDraft.mutationOptions({ meta }));
  const open = useMutation(channels.open.mutationOptions({ meta, onSuccess: onSold }));
  const endpoint = { ...endpointOf(source), secrets: [source.secret.trim()] };
  const sell = (draft: SaleDraft) => open.mutate({ ...endpoint, ...saleOf(draft, found.offers, currencies) });
  const testFirst = (draft: SaleDraft) => {
    const tested = testedOf(draft, found.offers);
    if (tested) {
      const { modelId, upstreamName } = tested;
      const models = [{ modelId, upstreamName, overrides: {} }];
      test.mutate(
        { draft: { ...endpoint, name: "draft", models }, modelId },
        { onSuccess: ({ ok }) => ok && sell(draft) },
      );
    }
  };
  return { sell, testFirst, test, open };
}

/** The second step chooses models and prices. The third step makes a real call before the sale. */
export function SaleStep(props: Props) {
  const { found } = props;
  const t = useTranslations("sale");
  const common = useTranslations("common");
  const { currency: own } = useInstallation();
  const currencies = { list: found.currency, own };
  const { sell, testFirst, test, open } = useTestAndSell(props, currencies);
  const { form, draft, problems, isRefused, onChange } = useDraft(startingDraft(found.offers), {
    problemsOf: (typed) => saleProblemsOf(typed, { offers: found.offers, currencies }),
    none: noSaleProblems,
    send: testFirst,
  });
  const isBusy = test.isPending || open.isPending;
  return (
    <form {...form}>
      <Stack>
        <Card title={t("stepModels")} text={t("stepModelsText", { count: found.offers.length })}>
          <OfferFields
            offers={found.offers}
            list={found.list}
            {...{ draft, problems, currencies, onChange }}
          />
        </Card>
        <Card
          title={t("stepTest")}
          text={t("stepTestText", { model: testedOf(draft, found.offers)?.modelId ?? "—" })}
        >
          {test.isPending && <TestWaiting />}
          <div aria-live="polite">
            {!isBusy && test.data && !test.data.ok && (
              <Stack gap="sm">
                <TestResult result={test.data} />
                <Alert color="orange">{t("testFailedText")}</Alert>
              </Stack>
            )}
          </div>
          <FailureAlert problem={isRefused ? common("fixFirst") : null} error={test.error ?? open.error} />
          <Group justify="flex-end">
            {test.data && !test.data.ok && (
              <Button variant="default" loading={open.isPending} onClick={() => sell(draft)}>
                {t("sellAnyway")}
              </Button>
            )}
            <Button type="submit" loading={isBusy}>
              {t("testAndSell", { count: draft.chosen.size })}
            </Button>
          </Group>
        </Card>
      </Stack>
    </form>
  );
}
