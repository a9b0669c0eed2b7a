import { Skeleton } from "@mantine/core";
import { onDemand } from "../_components/data/on-demand";

/** The editor loads after the page, because it brings its rules and fields along. */
export const ChannelEditor = onDemand(
  () => import("./channel-editor").then((module) => module.ChannelEditor),
  () => <Skeleton height={480} />,
);

export const NewSale = onDemand(
  () => import("./sale/new-sale").then((module) => module.NewSale),
  () => <Skeleton height={240} />,
);

export const VendorModels = onDemand(
  () => import("./sale/vendor-models").then((module) => module.VendorModels),
  () => <Skeleton height={120} />,
);
