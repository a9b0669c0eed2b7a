import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { CapabilityOverrides } from "@/server/channels";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>["channels"];
type Inputs = inferRouterInputs<AppRouter>["channels"];

export type ChannelRow = Outputs["list"][number];
export type ChannelDetail = Outputs["get"];
export type ChannelChoices = Outputs["choices"];
export type ChannelHealth = Outputs["health"][number];
export type RouteTier = Outputs["routes"]["tiers"][number];
export type TestResult = Outputs["test"];
export type NewChannel = Inputs["create"];
export type ChannelEdit = Inputs["update"];
export type Dialect = ChannelRow["dialect"];
export type Overrides = CapabilityOverrides;

/** What an operator can choose. The sandbox is made by the first start and answers by itself. */
export const dialects = [
  "openai",
  "anthropic",
  "dashscope",
  "ark",
  "openai-video",
] as const satisfies Dialect[];

/** Whether video tasks go there, which a channel takes only so many of at a time. */
export const makesVideos = (dialect: Dialect): boolean => dialect !== "openai" && dialect !== "anthropic";

/** Whether it speaks: what its models can do in a conversation is then worth saying. */
export const converses = (dialect: Dialect): boolean =>
  dialect === "openai" || dialect === "anthropic" || dialect === "sandbox";

export type ChannelState = "open" | "probing" | "resting" | "faulty" | "well" | "unused" | "disabled";

/** The newest fault, unless a call of the same operation has gone well since. */
export function currentFault(seen: ChannelHealth[]): ChannelHealth["lastFault"] {
  const faults = seen
    .filter(({ lastFault, lastOkAt }) => lastFault && (lastOkAt === null || lastOkAt < lastFault.at))
    .map(({ lastFault }) => lastFault);
  return faults.reduce((newest, fault) => (newest && fault && newest.at > fault.at ? newest : fault), null);
}

/** The worst of what the server's process has seen of a channel. */
export function stateOf({ isEnabled }: Pick<ChannelRow, "isEnabled">, seen: ChannelHealth[]): ChannelState {
  if (!isEnabled) {
    return "disabled";
  }
  const found = {
    open: seen.some(({ state }) => state === "open"),
    probing: seen.some(({ state }) => state === "half_open"),
    resting: seen.some(({ restingCredentials }) => restingCredentials.length > 0),
    faulty: currentFault(seen) !== null,
    well: seen.some(({ attempts }) => attempts > 0),
  };
  return (
    (["open", "probing", "resting", "faulty", "well"] as const).find((state) => found[state]) ?? "unused"
  );
}

/** What keeps a way to a model from being taken like the others; null: nothing does. */
type WayNote = "disabled" | "cannot" | "open" | "probing" | "spare";

const needed = { chat: ["chat", "messages"], embedding: ["embeddings"], video: ["videos"] } as const;

export function noteOf(
  way: Pick<RouteTier["ways"][number], "isEnabled" | "canTake" | "state" | "weight">,
  kind: keyof typeof needed | null,
): WayNote | null {
  const found: Record<WayNote, boolean> = {
    disabled: !way.isEnabled,
    cannot: kind !== null && !needed[kind].some((operation) => way.canTake.includes(operation)),
    open: way.state === "open",
    probing: way.state === "half_open",
    spare: way.weight === 0,
  };
  return (["disabled", "cannot", "open", "probing", "spare"] as const).find((note) => found[note]) ?? null;
}
