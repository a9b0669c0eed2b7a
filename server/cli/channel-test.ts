import { getChannelByNameOrId, type TestResult } from "@/server/channels";
import { Refusal } from "@/server/domain/refusal";
import { type Command, type CommandContext, type FlagValues, need } from "./command";
import { withRooms } from "./with-rooms";

/** The token counts of the upstream, or the consequence of their absence. */
function countsOf({ status, usage, isStream }: TestResult) {
  if (usage) {
    return { usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } };
  }
  // The test of a video channel sends no call that has token counts.
  const where = isStream ? "in streams: streamed requests" : "in responses: requests";
  return status === null
    ? {}
    : { note: `the upstream sends no token counts ${where} are charged by estimate` };
}

async function test(context: CommandContext, values: FlagValues) {
  const channel = await getChannelByNameOrId(context.db, need(values, "channel"));
  const result = await withRooms(context, ({ channels }) => channels.test(channel));
  if (!result.ok) {
    throw new Refusal(`${channel.name}: ${result.status ?? "no answer"} ${result.message}`, null);
  }
  const { status, latencyMs, message } = result;
  const tested = { channel: channel.name, ok: true, status, latency_ms: latencyMs, message };
  return { ...tested, ...countsOf(result) };
}

/** It changes nothing, so it is not recorded. */
export const testCommand: Command = {
  summary:
    "Send a small request to the first model of a channel; for video channels, only check the credential",
  flags: { channel: { type: "string", required: true } },
  run: test,
};
