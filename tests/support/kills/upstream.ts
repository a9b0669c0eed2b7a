import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { money } from "../customer";
import type { EmbeddedGateway } from "../embedded-gateway";
import { slowly } from "../faults";
import { sendJson, type UpstreamHandler, usage } from "../upstream";
import { stockVideos } from "../video-fleet";
import type { VideoSimulator } from "../video-simulator";

export type Size = { input: number; output: number };

export const EMBEDDING_MODEL = "fault-embedding";

/** The charge of a whole call, in nano-units. */
export const dueOf = (kind: string, { input, output }: Size): bigint =>
  kind === "embeddings" ? 500n * BigInt(input) : 1_000n * BigInt(input) + 2_000n * BigInt(output);

/** The text of a call contains its token counts. */
const sizeOf = (text: unknown): Size => {
  const [input = 0, output = 0] = String(text).split(" ").map(Number);
  return { input, output };
};

/** Chat, at once or word by word, and embeddings. */
export const answerBySize: UpstreamHandler = async (call, response, request) => {
  if (call.path.endsWith("/embeddings")) {
    const { input } = sizeOf([call.body.input].flat()[0]);
    const data = [{ object: "embedding", index: 0, embedding: [0.5, -0.25] }];
    const counts = { prompt_tokens: input, total_tokens: input };
    sendJson(response, 200, { object: "list", data, model: EMBEDDING_MODEL, usage: counts });
    return;
  }
  const [message] = call.body.messages as { content: unknown }[];
  const { input, output } = sizeOf(message?.content);
  const longest = call.body.stream === true ? 20 : 4;
  await slowly(() => Math.random() * longest, usage(input, output))(call, response, request);
};

/** Adds the models other than the chat model: embeddings of the same upstream, and videos. */
export async function stock(
  { withLedger, vault }: EmbeddedGateway,
  { baseUrl, simulator }: { baseUrl: string; simulator: VideoSimulator },
): Promise<void> {
  await withLedger(async ({ db }) => {
    const inputPrice = money("0.5");
    await saveModel(db, { id: EMBEDDING_MODEL, kind: "embedding", isEnabled: true, inputPrice });
    const models = { [EMBEDDING_MODEL]: EMBEDDING_MODEL };
    const secrets = ["upstream-secret"];
    await addChannel(db, { name: "embeddings", dialect: "openai", baseUrl, secrets, models }, vault());
    await stockVideos(db, simulator, vault());
  });
}
