import { Alert, Button, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { SearchField } from "../../_components/fields/search-field";
import { Dimmed } from "../../_components/tables/dimmed";
import type { Offer, Offers } from "../channel";
import { OfferTable, type OfferTableProps } from "./offer-table";
import { canBeAdded, needsRate } from "./sale-draft";

/** A button shows further rows. */
const ROWS_AT_ONCE = 100;

type Props = OfferTableProps & { list: Offers["list"] };

/** The factors, which hold for every model with a list price. */
function Factors({ offers, draft, problems, currencies, onChange }: OfferTableProps) {
  const t = useTranslations("sale");
  const prices = useTranslations("prices");
  const texts = { inputMode: "decimal", autoComplete: "off", maxLength: 20, w: 150 } as const;
  return (
    <Group align="flex-start" gap="sm">
      {(["costFactor", "priceFactor"] as const).map((name) => (
        <TextInput
          {...texts}
          key={name}
          label={t(name)}
          value={draft[name]}
          error={problems[name] && t("factorWrong")}
          onChange={({ currentTarget }) => onChange({ ...draft, [name]: currentTarget.value })}
        />
      ))}
      {needsRate(offers, currencies) && (
        <TextInput
          {...texts}
          w={190}
          required
          label={prices("importRate", { currency: currencies.list, own: currencies.own })}
          value={draft.rate}
          error={problems.rate && t("rateWrong", { currency: currencies.list })}
          onChange={({ currentTarget }) => onChange({ ...draft, rate: currentTarget.value })}
        />
      )}
    </Group>
  );
}

/** Chooses among a vendor's models and sets their prices. */
export function OfferFields({ list, ...props }: Props) {
  const { offers, draft, problems, onChange } = props;
  const t = useTranslations("sale");
  const prices = useTranslations("prices");
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const sought = search.trim().toLowerCase();
  const found = offers.filter(({ modelId, kind }) => `${modelId} ${kind}`.toLowerCase().includes(sought));
  const open = found.filter(canBeAdded);
  const isEvery = open.length > 0 && open.every(({ upstreamName }) => draft.chosen.has(upstreamName));
  const chooseAll = () => {
    const names = new Set(open.map(({ upstreamName }) => upstreamName));
    const others = [...draft.chosen].filter((name) => !names.has(name));
    onChange({ ...draft, chosen: new Set(isEvery ? others : [...others, ...names]) });
  };
  return (
    <>
      <Factors {...props} />
      <Group gap="sm" justify="space-between">
        <Group gap="sm" role="search" flex="1 1 18rem">
          <SearchField label={t("search")} value={search} width={320} onChange={setSearch} />
          <Button variant="default" disabled={open.length === 0} onClick={chooseAll}>
            {isEvery ? t("chooseNone") : t("chooseAll", { count: open.length })}
          </Button>
        </Group>
        <Text size="sm" role="status">
          {t("chosen", { count: draft.chosen.size, all: offers.filter(canBeAdded).length })}
        </Text>
      </Group>
      {problems.chosen && (
        <Alert color="red" role="alert">
          {t("noModel")}
        </Alert>
      )}
      {found.length > 0 ? (
        <OfferTable {...props} offers={found.slice(0, shown)} />
      ) : (
        <Dimmed>{prices("noMatchTitle")}</Dimmed>
      )}
      {found.length > shown && (
        <Group justify="center">
          <Button variant="default" onClick={() => setShown(shown + ROWS_AT_ONCE)}>
            {prices("gridMore", { count: found.length - shown })}
          </Button>
        </Group>
      )}
      <Dimmed>
        {t("perMillion")} {list && prices("importSource", { date: list.date, source: list.source })}
      </Dimmed>
    </>
  );
}

/** The offers that get a row. The channel's page shows the models that the channel already serves. */
export const freshOf = (offers: readonly Offer[]): Offer[] => offers.filter(({ isServed }) => !isServed);
