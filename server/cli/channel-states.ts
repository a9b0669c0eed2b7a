import { type Config, localAddress } from "@/server/base/config";
import { type Channel, type ChannelState, readChannelState } from "@/server/channels";

const TIMEOUT_MS = 2_000;

/** `unknown`: of an enabled channel, when there is nobody to ask. */
type SeenState = ChannelState | "unknown";

/** What the running server has seen of channels: its breakers are in its memory and nowhere else. */
export type SeenStates = {
  /** Where it was asked. */
  url: string;
  of: (channel: Channel) => SeenState;
};

/** Reads the metrics of the server that these settings start. Of several replicas it asks one. */
export async function askChannelStates(config: Config): Promise<SeenStates> {
  const url = `${localAddress(config)}/metrics`;
  const token = config.METRICS_TOKEN;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // Whatever keeps it from answering, nothing is known, and the commands say so.
  const text = await fetch(url, { signal, redirect: "error", headers })
    .then((response) => (response.ok ? response.text() : ""))
    .catch(() => "");
  const lines = text.matchAll(/^tollgate_channel_state\{channel="(\w+)",state="(\w+)"\} 1$/gm);
  const byId = new Map([...lines].map(([, id, state = ""]) => [id, readChannelState(state)]));
  return {
    url,
    of: ({ id, isEnabled }) => byId.get(id) ?? (isEnabled ? "unknown" : "disabled"),
  };
}
