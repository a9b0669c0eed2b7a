import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type PriceOutputs = inferRouterOutputs<AppRouter>["prices"];
type PriceInputs = inferRouterInputs<AppRouter>["prices"];

export type CatalogModel = PriceOutputs["list"]["models"][number];
export type ModelDetail = PriceOutputs["get"];
export type DatedPrice = PriceOutputs["history"][number];
export type ScheduledPrice = PriceOutputs["scheduled"][number];
export type GridRow = PriceOutputs["grid"][number];
export type PriceCells = PriceInputs["set"]["cells"];
export type ModelFacts = NonNullable<PriceOutputs["modelFacts"]>;
export type PriceList = PriceOutputs["lists"][number];
export type PriceEstimate = PriceOutputs["estimate"];
export type PricePlan = PriceOutputs["previewList"];
export type FilePlan = PriceOutputs["previewFile"];
export type NewModel = PriceInputs["create"];
export type ModelEdit = PriceInputs["update"];
export type Oddity = CatalogModel["oddities"][number];

/** The part of the catalog to list. */
export const catalogFilters = ["enabled", "disabled", "odd"] as const;
type CatalogFilter = (typeof catalogFilters)[number];

export function isListed(
  { id, ownedBy, isEnabled, oddities }: CatalogModel,
  { search, show }: { search: string; show: CatalogFilter | null },
): boolean {
  const sought = search.trim().toLowerCase();
  const shown: Record<CatalogFilter, boolean> = {
    enabled: isEnabled,
    disabled: !isEnabled,
    odd: oddities.length > 0,
  };
  return (show === null || shown[show]) && `${id} ${ownedBy}`.toLowerCase().includes(sought);
}
