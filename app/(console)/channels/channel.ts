import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { CapabilityOverrides } from "@/server/channels";
import type { AppRouter } from "@/server/console";
import { converses, type VendorApi } from "@/server/domain/enums";

type ChannelOutputs = inferRouterOutputs<AppRouter>["channels"];
type ChannelInputs = inferRouterInputs<AppRouter>["channels"];

export type ChannelRow = ChannelOutputs["list"][number];
export type ChannelDetail = ChannelOutputs["get"];
export type ChannelChoices = ChannelOutputs["choices"];
export type ChannelStanding = ChannelOutputs["states"][number];
export type ChannelHealth = ChannelStanding["seen"][number];
export type ChannelReport = ChannelOutputs["health"];
export type ChannelState = ChannelStanding["state"];
export type RouteTier = ChannelOutputs["routes"]["tiers"][number];
export type TestResult = ChannelOutputs["test"];
export type NewChannel = ChannelInputs["create"];
export type ChannelEdit = ChannelInputs["update"];
export type Offers = ChannelOutputs["offersOfVendor"];
export type Offer = Offers["offers"][number];
export type ChannelOffers = ChannelOutputs["offersOfChannel"];
export type Sold = ChannelInputs["open"]["models"][number];
export type Sale = ChannelOutputs["open"];
export type Overrides = CapabilityOverrides;

/** Whether the dialect serves video tasks; a channel takes a limited number of them at a time. */
export const makesVideos = (dialect: VendorApi): boolean => dialect === "sandbox" || !converses(dialect);

/** The reason why a channel does not get its usual share of a model's calls; null: none. */
type WayNote = "disabled" | "cannot" | "open" | "probing" | "spare";

/** `operations`: the operations of which the channel needs one; null: unknown. */
export function noteOf(
  way: Pick<RouteTier["ways"][number], "isEnabled" | "canTake" | "state" | "weight">,
  operations: readonly string[] | null,
): WayNote | null {
  const conditions: Record<WayNote, boolean> = {
    disabled: !way.isEnabled,
    cannot: operations !== null && !way.canTake.some((operation) => operations.includes(operation)),
    open: way.state === "open",
    probing: way.state === "probing",
    spare: way.weight === 0,
  };
  return (
    (["disabled", "cannot", "open", "probing", "spare"] as const).find((note) => conditions[note]) ?? null
  );
}
