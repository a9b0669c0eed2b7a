import { channelOperations, channelSaleOperations } from "@/server/operations";
import { channelQueries, offerQueries } from "@/server/queries";
import { all, changes, operates, type Route, reads, resource } from "./route";
import { act, create, get, patch, remove } from "./verbs";

const showChannel = reads(channelQueries.get, resource("ChannelDetail"));

/** Routes of channels and of their vendors' models. */
export const channelRoutes: readonly Route[] = [
  get("/channels", "List channels", reads(channelQueries.list, all("Channel"))),
  create("/channels", "Add a channel", operates(channelOperations.create, resource("ChannelDetail"))),
  act(
    "/offers",
    "List the models of a vendor, with list prices and limits",
    reads(offerQueries.ofVendor, resource("Offers")),
  ),
  create(
    "/sales",
    "Add a channel and put models on sale at it: routes, models, prices and costs, all or none",
    operates(channelSaleOperations.open, resource("Sale")),
  ),
  act(
    "/channels/{channel_id}/offers",
    "List the models of a channel's vendor, and those that it no longer lists",
    reads(offerQueries.ofChannel, resource("ChannelOffers")),
  ),
  act(
    "/channels/{channel_id}/sales",
    "Put more models of a vendor on sale at a channel, all or none",
    operates(channelSaleOperations.add, resource("Sale")),
  ),
  get(
    "/model-checks",
    "List the channels whose vendors are asked for their models on a schedule, with unseen changes",
    reads(channelQueries.modelChecks, all("ModelCheck")),
  ),
  act(
    "/channels/{channel_id}/model-checks",
    "Ask a channel's vendor for its models on a schedule, or no longer",
    operates(channelOperations.setModelChecks),
  ),
  act(
    "/channels/{channel_id}/seen-models",
    "Mark new and removed models of a vendor as seen",
    operates(channelOperations.seeModels),
  ),
  get("/channels/{channel_id}", "Show a channel and the models it serves", showChannel),
  patch(
    "/channels/{channel_id}",
    "Change a channel; enable or disable it; move its traffic off or back",
    changes(
      [
        operates(channelOperations.update),
        operates(channelOperations.setEnabled),
        operates(channelOperations.setMovedOff),
      ],
      ["channelId"],
      showChannel,
    ),
  ),
  remove("/channels/{channel_id}", "Remove a channel", operates(channelOperations.remove)),
  get(
    "/channels/{channel_id}/health",
    "Show the health of a channel for the last hour, day or week",
    reads(channelQueries.health, resource("ChannelHealth")),
  ),
  act(
    "/channels/{channel_id}/tests",
    "Send a small test request through a channel",
    reads(channelQueries.test, resource("ChannelTest")),
  ),
];
