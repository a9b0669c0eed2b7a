import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { postFromOutside } from "./caller";
import { longestTurnOf } from "./longest-turn";
import { perFile } from "./per-file";
import { sharedGateway } from "./shared-gateway";
import { usage } from "./upstream";

export const MB = 1024 * 1024;
export const fill = (text: string, bytes: number) => text.repeat(bytes / text.length);

export const writeChat = (message: object) => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  usage: usage(10, 5),
});
export const writeMessage = (content: object[]) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", content, stop_reason: "end_turn" },
  usage: { input_tokens: 10, output_tokens: 5 },
});

export const chat = "chat/completions";
const json = { "content-type": "application/json", "anthropic-version": "2023-06-01" };

type VendorDialect = "openai" | "anthropic";
export type ShortQuestion = { path: string; upstream: VendorDialect; more: object };

/** Models and vendors for the large calls of a file's tests, and the time for which each call keeps this thread. */
export function largeCallRoom() {
  const gateway = perFile(sharedGateway);
  const vendors: Server[] = [];
  /** One model for each kind of upstream. */
  const models: Record<string, string> = {};

  /**
   * The answer of each vendor, written ahead: otherwise that work would be in this thread's turns, as would reading the
   * request.
   */
  const answers: Record<VendorDialect, Buffer> = { openai: Buffer.from(""), anthropic: Buffer.from("") };

  async function startVendor(dialect: VendorDialect): Promise<Server> {
    const server = createServer((request, response) => {
      request.resume().once("end", () => {
        response.setHeader("content-type", "application/json");
        response.end(answers[dialect]);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  const setAnswers = (chatAnswer: object, message: object) => {
    answers.openai = Buffer.from(JSON.stringify(chatAnswer));
    answers.anthropic = Buffer.from(JSON.stringify(message));
  };
  beforeEach(() =>
    setAnswers(writeChat({ content: "fine" }), writeMessage([{ type: "text", text: "fine" }])),
  );

  beforeAll(async () => {
    for (const dialect of ["openai", "anthropic"] as const) {
      const vendor = await startVendor(dialect);
      vendors.push(vendor);
      models[dialect] = await gateway.model();
      const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
      await gateway.channel({ dialect, baseUrl, model: models[dialect] });
    }
    const model = await gateway.model();
    models.sandbox = model;
    const named = { model, models: { [model]: "sandbox-chat" } };
    await gateway.channel({ dialect: "sandbox", baseUrl: "sandbox:", ...named });
  });
  afterAll(async () => {
    for (const vendor of vendors) {
      vendor.closeAllConnections();
      vendor.close();
    }
  });

  /** Makes one call of a new customer. Returns its status and the longest turn of this thread meanwhile. */
  async function measureCall(path: string, body: Buffer) {
    const { secret } = await gateway.customer();
    const headers = { "x-api-key": secret, ...json };
    const call = { url: `${gateway.url}/v1/${path}`, headers, body, times: 1 };
    const { result, longestMs } = await longestTurnOf(() => postFromOutside(call));
    return { status: result[0]?.status, longestMs };
  }

  /** `measureCall`, for a short question in the form of the path. */
  function askShortly({ path, upstream, more }: ShortQuestion) {
    const turn = { role: "user", content: "hi" };
    const fields = path === "responses" ? { input: [turn] } : { messages: [turn], max_tokens: 50 };
    return measureCall(path, Buffer.from(JSON.stringify({ model: models[upstream], ...fields, ...more })));
  }

  return { gateway, vendors, models, answers, setAnswers, measureCall, askShortly };
}
