import { Anchor, Group } from "@mantine/core";
import { IconAlertTriangle, IconDots, IconEdit, IconRoute } from "@tabler/icons-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { parseMoney } from "@/server/base/money";
import { ActionMenu } from "../_components/fields/action-menu";
import { PendingSwitch } from "../_components/fields/pending-switch";
import { ChangeFields, useMay } from "../_components/shell/viewer";
import { ChoosableTable } from "../_components/tables/choosable-table";
import type { Column } from "../_components/tables/data-table";
import { StatusBadge } from "../_components/tables/status-badge";
import { TwoLines } from "../_components/tables/two-lines";
import { Money } from "../_components/text/money";
import { useAmount } from "../_components/text/use-amount";
import type { CatalogModel } from "./catalog";
import { useSetEnabled } from "./use-set-enabled";

type CellProps = { model: CatalogModel };

function NameCell({ model: { id, ownedBy } }: CellProps) {
  const t = useTranslations("prices");
  return (
    <TwoLines maw={300} below={t("byOwner", { owner: ownedBy })}>
      <Anchor component={Link} href={addresses.price(id)} size="sm" fw={600} className="wrap-anywhere">
        {id}
      </Anchor>
    </TwoLines>
  );
}

/** The cell of a price that a kind of model does not have. */
const None = () => <span aria-hidden>—</span>;

function InputCell({ model }: CellProps) {
  const t = useTranslations("prices");
  const amount = useAmount();
  if (model.kind === "video") {
    return <None />;
  }
  if (model.isFree) {
    return t("freeOfCharge");
  }
  if (model.oddities.includes("unpriced")) {
    return t("notSold");
  }
  const cacheRead = model.kind === "chat" && model.cacheReadPrice;
  const [units, conditional] = [model.unitPrices.length, model.conditionalPrices.length];
  const below = [
    ...(cacheRead ? [t("cacheReadLine", { price: amount(cacheRead) })] : []),
    ...(units > 0 ? [t("unitsLine", { count: units })] : []),
    ...(conditional > 0 ? [t("conditionsLine", { count: conditional })] : []),
  ].join(", ");
  return (
    <TwoLines align="flex-end" below={below === "" ? null : below}>
      <Money value={model.inputPrice} />
    </TwoLines>
  );
}

/** The lowest and the highest of some prices. */
function rangeOf(prices: string[]) {
  const nanos = (price: string) => parseMoney(price) ?? 0n;
  const sorted = [...prices].sort((left, right) => (nanos(left) < nanos(right) ? -1 : 1));
  const [from, to] = [sorted[0], sorted.at(-1)];
  return from !== undefined && to !== undefined ? { from, to } : null;
}

function VideoCell({ model: { kind, videoPrices } }: CellProps) {
  const t = useTranslations("prices");
  const amount = useAmount();
  if (kind !== "video") {
    return <None />;
  }
  const range = rangeOf(videoPrices.map(({ price }) => price));
  return (
    <TwoLines align="flex-end" below={t("priced", { count: videoPrices.length })}>
      {range && (
        <span className="money">
          {range.from === range.to
            ? amount(range.from)
            : t("priceRange", { from: amount(range.from), to: amount(range.to) })}
        </span>
      )}
    </TwoLines>
  );
}

function OdditiesCell({ model: { oddities } }: CellProps) {
  const t = useTranslations("prices");
  return oddities.length === 0 ? (
    <None />
  ) : (
    <Group gap={4}>
      {oddities.map((oddity) => (
        <StatusBadge
          key={oddity}
          tone={oddity === "belowCost" ? "bad" : "warn"}
          icon={IconAlertTriangle}
          iconSize={14}
        >
          {t(`oddities.${oddity}`)}
        </StatusBadge>
      ))}
    </Group>
  );
}

function EnabledCell({ model: { id, isEnabled } }: CellProps) {
  const t = useTranslations("prices");
  const { setEnabled, isPending } = useSetEnabled(id);
  return (
    <ChangeFields to="prices.write">
      <PendingSwitch
        aria-label={t("enabledOf", { name: id })}
        isOn={isEnabled}
        isPending={isPending}
        onSwitch={setEnabled}
      />
    </ChangeFields>
  );
}

function ModelMenu({ model: { id } }: CellProps) {
  const t = useTranslations("prices");
  const common = useTranslations("common");
  const seesChannels = useMay("channels.read");
  return (
    <ActionMenu
      label={common("moreActions", { name: id })}
      icon={<IconDots size={18} aria-hidden />}
      entries={[
        { label: t("edit"), icon: IconEdit, href: addresses.price(id) },
        ...(seesChannels
          ? [{ label: t("route"), icon: IconRoute, href: addresses.routes({ model: id }) }]
          : []),
      ]}
    />
  );
}

function useColumns(): Column<CatalogModel>[] {
  const t = useTranslations("prices");
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      value: ({ id }) => id,
      cell: (model) => <NameCell model={model} />,
    },
    {
      id: "kind",
      from: "medium",
      header: t("kind"),
      onPhone: "bare",
      value: ({ kind }) => kind,
      cell: (model) => t(`kinds.${model.kind}`),
    },
    {
      id: "input",
      header: t("input"),
      isFigure: true,
      cell: (model) => <InputCell model={model} />,
    },
    {
      id: "output",
      header: t("output"),
      isFigure: true,
      cell: (model) =>
        model.kind === "chat" && !model.isFree && !model.oddities.includes("unpriced") ? (
          <Money value={model.outputPrice} />
        ) : (
          <None />
        ),
    },
    { id: "videos", header: t("videos"), isFigure: true, cell: (model) => <VideoCell model={model} /> },
    { id: "notes", header: t("notes"), onPhone: "line", cell: (model) => <OdditiesCell model={model} /> },
    { id: "enabled", header: t("enabled"), onPhone: "aside", cell: (model) => <EnabledCell model={model} /> },
    { id: "actions", header: null, cell: (model) => <ModelMenu model={model} /> },
  ];
}

export function PriceTable({ models }: { models: CatalogModel[] }) {
  const label = useTranslations("shell")("prices");
  return (
    <ChoosableTable name="prices" label={label} columns={useColumns()} rows={models} rowId={({ id }) => id} />
  );
}
