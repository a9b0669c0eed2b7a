import { deployment } from "./deployment";

/** The calls of a program with a key. */
export type GatewayCaller = {
  /** Returns the status of a short chat. */
  chat: (model?: string) => Promise<number>;
  /** Returns the task's identifier. */
  submitVideo: (prompt: string, model?: string) => Promise<string>;
};

/** Models of the sandbox, which need no vendor. */
export const CHAT_MODEL = "sandbox-chat";
export const VIDEO_MODEL = "sandbox-video-turbo";

export function callerWith(secret: string): GatewayCaller {
  const post = (path: string, body: object) =>
    fetch(`${deployment.baseUrl()}/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return {
    chat: async (model = CHAT_MODEL) => {
      const messages = [{ role: "user", content: "Hello" }];
      const answer = await post("chat/completions", { model, messages, max_tokens: 64 });
      await answer.arrayBuffer();
      return answer.status;
    },
    submitVideo: async (prompt, model = VIDEO_MODEL) => {
      const answer = await post("videos/generations", {
        model,
        prompt,
        duration: 5,
        resolution: "720p",
      });
      const text = await answer.text();
      if (!answer.ok) {
        throw new Error(`submitting a video: ${answer.status} ${text}`);
      }
      return (JSON.parse(text) as { id: string }).id;
    },
  };
}
