import { Button, Group, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { parseFactor } from "@/server/base/factor";
import { Card } from "../../_components/card";
import { ChoiceSelect } from "../../_components/choice-select";
import { Dimmed } from "../../_components/dimmed";
import { useTRPC } from "../../_components/trpc";
import { FailureAlert } from "../../_forms/failure-alert";
import { SaveBar } from "../../_forms/save-bar";
import { type CatalogModel, isListed } from "../catalog";
import { cellsOf, firstOfNextMonth, type GridDraft, hasWrongPrice, markedUp } from "./grid-draft";
import { GridTable } from "./grid-table";

const allDecimals = ["2", "3", "4", "9"] as const;
type Decimals = (typeof allDecimals)[number];

type TermsProps = { isAny: boolean; onApply: (terms: { factor: string; decimals: number }) => void };

/** What the chosen models' prices are multiplied by. */
function MarkUp({ isAny, onApply }: TermsProps) {
  const t = useTranslations("prices");
  const [factor, setFactor] = useState("1.2");
  const [decimals, setDecimals] = useState<Decimals>("2");
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        w={140}
        label={t("gridFactor")}
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        value={factor}
        onChange={({ currentTarget }) => setFactor(currentTarget.value)}
      />
      <ChoiceSelect
        w={160}
        label={t("importDecimals")}
        choices={allDecimals}
        nameOf={(each) => (each === "9" ? t("importAllDecimals") : each)}
        value={decimals}
        onChange={(each) => each !== null && setDecimals(each)}
      />
      <Button
        variant="default"
        disabled={!isAny || parseFactor(factor) === null}
        onClick={() => onApply({ factor, decimals: Number(decimals) })}
      >
        {t("gridApply")}
      </Button>
    </Group>
  );
}

/** When the prices begin: at once, where nothing is named. */
function Begin({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTranslations("prices");
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        type="datetime-local"
        label={t("gridBegins")}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Button variant="default" onClick={() => onChange(firstOfNextMonth(new Date()))}>
        {t("gridNextMonth")}
      </Button>
      {value !== "" && (
        <Button variant="subtle" onClick={() => onChange("")}>
          {t("gridAtOnce")}
        </Button>
      )}
    </Group>
  );
}

/** Many prices at once: one save is one transaction, and what somebody else has changed meanwhile is refused. */
export function GridForm({ models, onSaved }: { models: CatalogModel[]; onSaved: () => void }) {
  const t = useTranslations("prices");
  const router = useRouter();
  // As they were when the form was opened, which is what a save says that it has seen.
  const [seen] = useState(models);
  const [draft, setDraft] = useState<GridDraft>({});
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState("");
  const [begins, setBegins] = useState("");
  const { prices } = useTRPC();
  const save = useMutation(
    prices.set.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ models: changed, beginsAt }) => {
        const message = t(beginsAt ? "gridScheduledNotice" : "gridSavedNotice", { count: changed.length });
        notifications.show({ message, role: "status" });
        onSaved();
        router.push(addresses.prices());
      },
    }),
  );
  const listed = seen.filter((model) => isListed(model, { search, show: null }));
  const cells = cellsOf(draft, seen);
  const choose = (id: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((other) => other !== id)));
  const isEvery = listed.length > 0 && listed.every(({ id }) => chosen.has(id));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate({ cells, ...(begins !== "" && { beginsAt: new Date(begins).toISOString() }) });
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack>
        <Card title={t("gridTerms")}>
          <Group align="flex-end" gap="sm">
            <TextInput
              flex="1 1 14rem"
              maw={360}
              label={t("search")}
              maxLength={100}
              value={search}
              onChange={({ currentTarget }) => setSearch(currentTarget.value)}
            />
            <Button
              variant="default"
              onClick={() => setChosen(new Set(isEvery ? [] : listed.map(({ id }) => id)))}
            >
              {isEvery ? t("gridChooseNone") : t("gridChooseAll", { count: listed.length })}
            </Button>
          </Group>
          <MarkUp
            isAny={chosen.size > 0}
            onApply={(terms) =>
              setDraft(
                markedUp(
                  draft,
                  seen.filter(({ id }) => chosen.has(id)),
                  terms,
                ),
              )
            }
          />
          <Begin value={begins} onChange={setBegins} />
        </Card>
        <GridTable models={listed} draft={draft} onChange={setDraft} chosen={chosen} onChoose={choose} />
        <Dimmed>{t("gridHint")}</Dimmed>
        <FailureAlert error={save.error} />
        <SaveBar
          isChanged={cells.length > 0}
          isReady={!hasWrongPrice(draft)}
          isBusy={save.isPending}
          onUndo={() => setDraft({})}
        />
      </Stack>
    </form>
  );
}
