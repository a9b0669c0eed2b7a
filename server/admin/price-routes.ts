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
    "List the prices that a model has had, has and is to have, and from when",
    reads(priceQueries.history, all("ModelPrice")),
  ),
  act(
    "/models/{model_id}/prices/{begins_at}/withdrawals",
    "Take back a price that has not begun",
    operates(priceOperations.withdraw),
  ),
  get(
    "/prices",
    "List every price beside its list price and its cost",
    reads(priceGridQueries.list, all("ListedPrice")),
  ),
  act(
    "/prices",
    "Set prices of one model or of many, at once or from a moment on, all or none",
    operates(priceOperations.set, resource("SetPrices")),
  ),
  act(
    "/prices/estimates",
    "Show what the calls of the last month would have come to at other prices",
    reads(priceEstimateQueries.lastMonth, resource("PriceEstimate")),
  ),
  get(
    "/scheduled-prices",
    "List the prices that are to begin",
    reads(priceQueries.scheduled, all("ScheduledPrice")),
  ),
  get(
    "/price-files",
    "Write every price, current and scheduled, as CSV",
    reads(priceFileQueries.get, resource("PriceFile")),
  ),
  act(
    "/price-files/previews",
    "Show what a CSV of prices would change, and which of its lines are wrong",
    reads(priceFileQueries.preview, resource("PriceFilePreview")),
  ),
  act(
    "/price-files/imports",
    "Set prices by a CSV, all or none",
    operates(priceFileOperations.importFile, resource("PriceFileImport")),
  ),
  get("/price-groups", "List price groups", reads(priceGroupQueries.list, all("PriceGroup"))),
  create(
    "/price-groups",
    "Make a price group: every price times a factor, for the accounts that are put into it",
    operates(priceGroupOperations.create, resource("ChangedPriceGroup")),
  ),
  patch(
    "/price-groups/{price_group_id}",
    "Change a price group",
    operates(priceGroupOperations.update, resource("ChangedPriceGroup")),
  ),
  remove(
    "/price-groups/{price_group_id}",
    "Remove a price group whose prices no account pays",
    operates(priceGroupOperations.remove),
  ),
  get("/price-lists", "List the vendors' price lists", reads(priceListQueries.list, all("PriceList"))),
  act(
    "/price-lists/{vendor}/previews",
    "Show what a vendor's list prices would make of the prices",
    reads(priceListQueries.preview, resource("PriceImport")),
  ),
  act(
    "/price-lists/{vendor}/imports",
    "Set prices by a vendor's list",
    operates(priceListOperations.importList, resource("PriceImport")),
  ),
  get("/cost-prices", "List what models cost at channels", reads(costQueries.list, all("ListedCost"))),
  act(
    "/channels/{channel_id}/cost-prices",
    "Say what a model costs at a channel, all of it",
    operates(costOperations.set, resource("ModelCost")),
  ),
  act(
    "/channels/{channel_id}/cost-imports",
    "Set what a channel costs by its vendor's list",
    operates(costOperations.importList, resource("CostImport")),
  ),
  get(
    "/margin",
    "Show what was charged in a span of time, what it cost and what is left, by model, channel or account",
    reads(costQueries.margin, resource("Margin")),
  ),
];
