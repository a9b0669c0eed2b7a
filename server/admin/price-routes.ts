import {
  costOperations,
  priceFileOperations,
  priceGroupOperations,
  priceListOperations,
  priceOperations,
} from "@/server/operations";
import {
  costQueries,
  priceEstimateQueries,
  priceFileQueries,
  priceGridQueries,
  priceGroupQueries,
  priceListQueries,
  priceQueries,
} from "@/server/queries";
import { all, operates, type Route, reads, resource } from "./route";
import { act, create, get, patch, remove } from "./verbs";

/** Routes of prices, costs and margins. */
export const priceRoutes: readonly Route[] = [
  get(
    "/models/{model_id}/prices",
    "List past, current and scheduled prices of a model",
    reads(priceQueries.history, all("ModelPrice")),
  ),
  act(
    "/models/{model_id}/prices/{begins_at}/withdrawals",
    "Withdraw a scheduled price",
    operates(priceOperations.withdraw),
  ),
  get(
    "/prices",
    "List every price with its list price and cost",
    reads(priceGridQueries.list, all("ListedPrice")),
  ),
  act(
    "/prices",
    "Set prices of one or more models, now or from a given time, all or none",
    operates(priceOperations.set, resource("SetPrices")),
  ),
  act(
    "/prices/estimates",
    "Estimate last month's charges at other prices",
    reads(priceEstimateQueries.lastMonth, resource("PriceEstimate")),
  ),
  get("/scheduled-prices", "List scheduled prices", reads(priceQueries.scheduled, all("ScheduledPrice"))),
  get(
    "/price-files",
    "Export all current and scheduled prices as CSV",
    reads(priceFileQueries.get, resource("PriceFile")),
  ),
  act(
    "/price-files/previews",
    "Preview the changes and errors of a price CSV",
    reads(priceFileQueries.preview, resource("PriceFilePreview")),
  ),
  act(
    "/price-files/imports",
    "Import prices from a CSV, all or none",
    operates(priceFileOperations.importFile, resource("PriceFileImport")),
  ),
  get("/price-groups", "List price groups", reads(priceGroupQueries.list, all("PriceGroup"))),
  create(
    "/price-groups",
    "Create a price group: every price times a factor, for the accounts assigned to it",
    operates(priceGroupOperations.create, resource("ChangedPriceGroup")),
  ),
  patch(
    "/price-groups/{price_group_id}",
    "Change a price group",
    operates(priceGroupOperations.update, resource("ChangedPriceGroup")),
  ),
  remove(
    "/price-groups/{price_group_id}",
    "Remove a price group that no account uses",
    operates(priceGroupOperations.remove),
  ),
  get("/price-lists", "List the vendors' price lists", reads(priceListQueries.list, all("PriceList"))),
  act(
    "/price-lists/{vendor}/previews",
    "Preview an import of a vendor's list prices",
    reads(priceListQueries.preview, resource("PriceImport")),
  ),
  act(
    "/price-lists/{vendor}/imports",
    "Import a vendor's list prices",
    operates(priceListOperations.importList, resource("PriceImport")),
  ),
  get("/cost-prices", "List the cost prices of channels", reads(costQueries.list, all("ListedCost"))),
  act(
    "/channels/{channel_id}/cost-prices",
    "Set all cost prices of a model at a channel",
    operates(costOperations.set, resource("ModelCost")),
  ),
  act(
    "/channels/{channel_id}/cost-imports",
    "Set the cost prices of a channel from its vendor's list",
    operates(costOperations.importList, resource("CostImport")),
  ),
  act(
    "/channels/{channel_id}/cost-copies",
    "Set the cost prices of a channel to those of another one, for the models that both serve",
    operates(costOperations.copy, resource("CostCopy")),
  ),
  get(
    "/margin",
    "Show revenue, cost and margin of a period by model, channel or account",
    reads(costQueries.margin, resource("Margin")),
  ),
];
