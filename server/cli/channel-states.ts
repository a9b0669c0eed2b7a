import type { Config } from "@/server/base/config";
import { localAddress } from "@/server/base/own-address";
import { type Channel, type ChannelState, readChannelState } from "@/server/channels";

const TIMEOUT_MS = 2_000;

/** `unknown`: an enabled channel while no server can be asked. */
type SeenState = ChannelState | "unknown";

/** The running server's view of channels: its breakers are in its memory and nowhere else. */
export type SeenStates = {
  /** The address that was asked. */
  url: string;
  stateOf: (channel: Channel) => SeenState;
};

/** Reads the metrics of the server that has these settings. Of several replicas it asks one. */
export async function askChannelStates(config: Config): Promise<SeenStates> {
  const url = `${localAddress(config)}/metrics`;
  const token = config.METRICS_TOKEN;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // If the server does not answer for any reason, states are unknown, and the commands say so.
  const text = await fetch(url, { signal, redirect: "error", headers })
    .then((response) => (response.ok ? response.text() : ""))
    .catch(() => "");
  const lines = text.matchAll(/^tollgate_channel_state\{channel="(\w+)",state="(\w+)"\} 1$/gm);
  const byId = new Map([...lines].map(([, id, state = ""]) => [id, readChannelState(state)]));
  return {
    url,
    stateOf: ({ id, isEnabled }) => byId.get(id) ?? (isEnabled ? "unknown" : "disabled"),
  };
}
