import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>["prices"];
type Inputs = inferRouterInputs<AppRouter>["prices"];

export type CatalogModel = Outputs["list"]["models"][number];
export type ModelDetail = Outputs["get"];
export type DatedPrice = Outputs["history"][number];
export type ScheduledPrice = Outputs["scheduled"][number];
export type GridRow = Outputs["grid"][number];
export type PriceCells = Inputs["set"]["cells"];
export type PriceList = Outputs["lists"][number];
export type PriceEstimate = Outputs["estimate"];
export type PricePlan = Outputs["previewList"];
export type FilePlan = Outputs["previewFile"];
export type NewModel = Inputs["create"];
export type ModelEdit = Inputs["update"];
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
