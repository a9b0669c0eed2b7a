import { Badge, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useFormatter, useLocale, useTranslations } from "use-intl";
import { formatMoney } from "@/server/base/money";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { TwoLines } from "../../_components/tables/two-lines";
import { amountText } from "../../_components/text/amount";
import type { Offer } from "../channel";
import {
  type Currencies,
  canBeAdded,
  figuresOf,
  isByUnit,
  isTyped,
  type Pair,
  type SaleDraft,
  type SaleProblems,
  typedOf,
} from "./sale-draft";

export type OfferTableProps = {
  offers: Offer[];
  draft: SaleDraft;
  problems: SaleProblems;
  currencies: Currencies;
  onChange: (draft: SaleDraft) => void;
};

const None = () => <span aria-hidden>—</span>;

/** Input and output prices, one above the other. */
function PairCell({
  pair,
  currency,
  isForeign = false,
}: {
  pair: Pair;
  currency: string;
  isForeign?: boolean;
}) {
  const locale = useLocale();
  const t = useTranslations("sale");
  if (pair.input === null && pair.output === null) {
    return <None />;
  }
  const text = (price: Pair["input"]) => {
    if (price === null) {
      return "—";
    }
    const amount = amountText(formatMoney(price), { currency, locale });
    return isForeign ? amount.replace(/^[^\d-]+/, `${currency} `) : amount;
  };
  return (
    <Stack gap={0} align="flex-end" className="money">
      <span title={t("input")}>{text(pair.input)}</span>
      {pair.output !== null && (
        <Text span size="xs" c="dimmed" title={t("output")}>
          {text(pair.output)}
        </Text>
      )}
    </Stack>
  );
}

type RowProps = Omit<OfferTableProps, "offers"> & { offer: Offer };

/** The price of a model without a list price. */
function TypedCell({ offer, draft, problems, onChange }: RowProps) {
  const t = useTranslations("sale");
  const typed = typedOf(draft, offer);
  const isWrong = problems.typed.has(offer.upstreamName);
  return (
    <Stack gap={2} align="flex-end">
      {(["input", "output"] as const).map((name) => (
        <TextInput
          key={name}
          size="xs"
          w={96}
          styles={{ input: { textAlign: "end" } }}
          inputMode="decimal"
          autoComplete="off"
          maxLength={30}
          aria-label={t("typedPrice", { name: offer.modelId, price: t(name) })}
          placeholder={t(name)}
          value={typed[name]}
          error={isWrong}
          onChange={({ currentTarget }) =>
            onChange({
              ...draft,
              chosen: new Set([...draft.chosen, offer.upstreamName]),
              typed: new Map([
                ...draft.typed,
                [offer.upstreamName, { ...typed, [name]: currentTarget.value }],
              ]),
            })
          }
        />
      ))}
    </Stack>
  );
}

/** The price that customers pay; a model that is not priced by token gets its price later. */
function PriceCell({ offer, draft, currencies }: RowProps) {
  const t = useTranslations("sale");
  const { price } = figuresOf(offer, draft, currencies);
  return price.input === null && isByUnit(offer) ? (
    <Text span size="xs" c="dimmed">
      {t("byUnit")}
    </Text>
  ) : (
    <PairCell pair={price} currency={currencies.own} />
  );
}

/** The kind of a model, and its place in the catalog if it has one. */
function Note({ offer }: { offer: Offer }) {
  const t = useTranslations("sale");
  const usual = offer.isSnapshot && offer.stand === "new" ? "snapshot" : offer.stand;
  const note = offer.isServed ? "served" : usual;
  return (
    <Group gap={4}>
      {offer.kind !== "chat" && (
        <Badge size="xs" variant="default" tt="none">
          {t(`kinds.${offer.kind}`)}
        </Badge>
      )}
      {note !== "new" && (
        <Text span size="xs" c="dimmed">
          {t(`stands.${note}`)}
        </Text>
      )}
    </Group>
  );
}

function useColumns(props: Omit<OfferTableProps, "offers">): Column<Offer>[] {
  const { draft, currencies, onChange } = props;
  const t = useTranslations("sale");
  const format = useFormatter();
  const { list, own } = currencies;
  const tokens = (count: number | null) => (count === null ? <None /> : format.number(count));
  const choose = (name: string, isChosen: boolean) =>
    onChange({
      ...draft,
      chosen: new Set(
        isChosen ? [...draft.chosen, name] : [...draft.chosen].filter((other) => other !== name),
      ),
    });
  return [
    {
      id: "choose",
      header: null,
      onPhone: "ahead",
      cell: (offer) => (
        <Checkbox
          aria-label={t("choose", { name: offer.modelId })}
          checked={draft.chosen.has(offer.upstreamName)}
          disabled={!canBeAdded(offer)}
          onChange={({ currentTarget }) => choose(offer.upstreamName, currentTarget.checked)}
        />
      ),
    },
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: (offer) => (
        <TwoLines maw={300} below={<Note offer={offer} />}>
          <span className="wrap-anywhere">{offer.modelId}</span>
        </TwoLines>
      ),
    },
    {
      id: "list",
      header: t("list"),
      isFigure: true,
      cell: (offer) => (
        <PairCell
          pair={figuresOf(offer, draft, currencies).listed}
          currency={list}
          isForeign={list !== own}
        />
      ),
    },
    {
      id: "cost",
      header: t("cost"),
      isFigure: true,
      cell: (offer) => <PairCell pair={figuresOf(offer, draft, currencies).cost} currency={own} />,
    },
    {
      id: "price",
      header: t("price"),
      isFigure: true,
      cell: (offer) =>
        isTyped(offer) && canBeAdded(offer) ? (
          <TypedCell {...props} offer={offer} />
        ) : (
          <PriceCell {...props} offer={offer} />
        ),
    },
    {
      id: "margin",
      header: t("margin"),
      isFigure: true,
      cell: (offer) => {
        const { margin } = figuresOf(offer, draft, currencies);
        return margin === null ? (
          <None />
        ) : (
          <Text span inherit c={margin < 0 ? "red" : undefined}>
            {format.number(margin, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 })}
          </Text>
        );
      },
    },
    {
      id: "context",
      header: t("context"),
      isFigure: true,
      cell: ({ contextWindow }) => tokens(contextWindow),
    },
    {
      id: "limit",
      header: t("limit"),
      isFigure: true,
      cell: ({ maxOutputTokens }) => tokens(maxOutputTokens),
    },
  ];
}

/** A vendor's models with list price, cost, price and limits. */
export function OfferTable({ offers, ...props }: OfferTableProps) {
  const t = useTranslations("sale");
  return (
    <DataTable
      label={t("models")}
      columns={useColumns(props)}
      rows={offers}
      rowId={({ upstreamName }) => upstreamName}
    />
  );
}
