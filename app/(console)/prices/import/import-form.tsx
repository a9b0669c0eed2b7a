import { Alert, Button, Group, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { parseMoney } from "@/server/base/money";
import { Card } from "../../_components/cards/card";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { ChoiceSelect } from "../../_components/fields/choice-select";
import { Permitted } from "../../_components/shell/viewer";
import { Dimmed } from "../../_components/tables/dimmed";
import { useInstallation } from "../../_components/text/installation";
import { FailureAlert } from "../../_forms/failure-alert";
import type { PriceList, PricePlan } from "../catalog";
import { PlanTable } from "./plan-table";

const allDecimals = ["9", "4", "3", "2"] as const;
type Decimals = (typeof allDecimals)[number];

/** The form's values. */
type ImportDraft = { vendor: PriceList["vendor"]; factor: string; rate: string; decimals: Decimals };
type FieldProps = { draft: ImportDraft; onChange: (draft: ImportDraft) => void; lists: PriceList[] };

const TYPING_MS = 300;

const termsOf = ({ vendor, factor, rate, decimals }: ImportDraft) => ({
  vendor,
  ...(factor.trim() !== "" && { factor: factor.trim() }),
  ...(rate.trim() !== "" && { rate: rate.trim() }),
  decimals: Number(decimals),
});

/** The name of the collection that the list is from, without the vendor's name, which the form has chosen. */
const collectionOf = (source: string) => source.replace(/, provider .*$/, "");

/** Whether prices of the list need an exchange rate. */
const isInForeignMoney = (list: PriceList | undefined, own: string): list is PriceList =>
  list !== undefined && list.currency !== own;

function TermFields({ draft, onChange, lists }: FieldProps) {
  const t = useTranslations("prices");
  const { currency: own } = useInstallation();
  const list = lists.find(({ vendor }) => vendor === draft.vendor);
  const isForeign = isInForeignMoney(list, own);
  const texts = { inputMode: "decimal", autoComplete: "off", maxLength: 20 } as const;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2, md: isForeign ? 4 : 3 }}>
        <ChoiceSelect
          label={t("importVendor")}
          choices={lists.map(({ vendor }) => vendor)}
          nameOf={(vendor) => vendor}
          value={draft.vendor}
          onChange={(vendor) => vendor !== null && onChange({ ...draft, vendor, rate: "" })}
        />
        <TextInput
          {...texts}
          label={t("importFactor")}
          description={t("importFactorHint")}
          inputWrapperOrder={["label", "input", "description"]}
          value={draft.factor}
          onChange={({ currentTarget }) => onChange({ ...draft, factor: currentTarget.value })}
        />
        {isForeign && (
          <TextInput
            {...texts}
            required
            label={t("importRate", { currency: list.currency, own })}
            description={t("importRateHint", { currency: list.currency })}
            inputWrapperOrder={["label", "input", "description"]}
            value={draft.rate}
            onChange={({ currentTarget }) => onChange({ ...draft, rate: currentTarget.value })}
          />
        )}
        <ChoiceSelect
          label={t("importDecimals")}
          description={t("importDecimalsHint")}
          inputWrapperOrder={["label", "input", "description"]}
          choices={allDecimals}
          nameOf={(decimals) => (decimals === "9" ? t("importAllDecimals") : decimals)}
          value={draft.decimals}
          onChange={(decimals) => decimals !== null && onChange({ ...draft, decimals })}
        />
      </SimpleGrid>
      {list && (
        <Dimmed size="xs">{t("importSource", { date: list.date, source: collectionOf(list.source) })}</Dimmed>
      )}
    </Stack>
  );
}

type PlanProps = {
  plan: PricePlan;
  left: ReadonlySet<string>;
  onLeave: (id: string, isLeft: boolean) => void;
};

/** The number of prices of selected models that would fall. */
const lowered = ({ plan, left }: Pick<PlanProps, "plan" | "left">): number =>
  plan.changed
    .filter(({ id }) => !left.has(id))
    .flatMap(({ before, after }) => [
      [before.inputPrice, after.inputPrice],
      [before.outputPrice, after.outputPrice],
    ])
    .filter(([was = "", is = ""]) => (parseMoney(is) ?? 0n) < (parseMoney(was) ?? 0n)).length;

/** The changes that the list makes, and the models that it leaves unchanged. */
function Plan({ plan, left, onLeave }: PlanProps) {
  const t = useTranslations("prices");
  const { changed, unchanged, notListed } = plan;
  const count = lowered({ plan, left });
  return (
    <>
      {count > 0 && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
          {t("importBelow", { count })}
        </Alert>
      )}
      {changed.length > 0 ? (
        <PlanTable changed={changed} left={left} onLeave={onLeave} />
      ) : (
        <Alert color="blue" title={t("importNone")}>
          {t("importNoneText")}
        </Alert>
      )}
      {unchanged.length > 0 && <Dimmed>{t("importUnchanged", { count: unchanged.length })}</Dimmed>}
      {notListed.length > 0 && <Dimmed>{t("importNotListed", { names: notListed.join(", ") })}</Dimmed>}
    </>
  );
}

/** Sets many prices from a vendor's list. New and current prices are shown side by side before anything is saved. */
export function ImportForm({ lists }: { lists: PriceList[] }) {
  const t = useTranslations("prices");
  const common = useTranslations("common");
  const router = useRouter();
  const { prices } = useTRPC();
  const [draft, setDraft] = useState<ImportDraft>({
    vendor: lists[0]?.vendor ?? "openai",
    factor: "1",
    rate: "",
    decimals: "9",
  });
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [terms] = useDebouncedValue(termsOf(draft), TYPING_MS);
  const isSettled = JSON.stringify(terms) === JSON.stringify(termsOf(draft));
  const { currency: own } = useInstallation();
  const list = lists.find(({ vendor }) => vendor === draft.vendor);
  const lacksRate = isInForeignMoney(list, own) && draft.rate.trim() === "";
  const preview = useQuery(
    prices.previewList.queryOptions(terms, {
      placeholderData: keepPreviousData,
      retry: false,
      enabled: !lacksRate && isSettled,
    }),
  );
  const change = useMutation(
    prices.importList.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ changed }) => {
        notifications.show({ message: t("importedNotice", { count: changed.length }), role: "status" });
        router.push(addresses.prices());
      },
    }),
  );
  const plan = lacksRate || preview.error ? undefined : preview.data;
  const models = plan?.changed.map(({ id }) => id).filter((id) => !left.has(id)) ?? [];
  const leave = (id: string, isLeft: boolean) =>
    setLeft(new Set(isLeft ? [...left, id] : [...left].filter((other) => other !== id)));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate({ ...terms, models });
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack>
        <Card title={t("importTerms")}>
          <TermFields draft={draft} onChange={setDraft} lists={lists} />
        </Card>
        <Card title={t("importModels")}>
          {plan && <Plan plan={plan} left={left} onLeave={leave} />}
          {lacksRate && <Dimmed>{t("importNeedsRate", { currency: list.currency, own })}</Dimmed>}
          {!(plan || lacksRate) &&
            (preview.error ? <FailureAlert error={preview.error} /> : <QueryState query={preview} />)}
        </Card>
        <Permitted to="prices.write">
          <FailureAlert error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => router.push(addresses.prices())}>
              {common("cancel")}
            </Button>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={models.length === 0 || !isSettled || preview.isFetching}
            >
              {t("importAction", { count: models.length })}
            </Button>
          </Group>
        </Permitted>
      </Stack>
    </form>
  );
}
