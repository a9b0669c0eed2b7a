import type { VideoSimulator } from ".";

export type Json = Record<string, unknown>;

export async function readJson(response: Response | Promise<Response>): Promise<Json> {
  return (await (await response).json()) as Json;
}

/** Status and the beginning of the text, or that there was no answer. */
export async function outcome(asked: Promise<Response>): Promise<string> {
  try {
    const response = await asked;
    return `${response.status} ${(await response.text()).slice(0, 30)}`;
  } catch {
    return "no answer";
  }
}

export const wanBody = (prompt: string, parameters: Json = { size: "1280*720", duration: 5 }): Json => ({
  model: "wanx2.1-t2v-turbo",
  input: { prompt },
  parameters,
});

export const seedanceBody = (text: string, more: Json = {}): Json => ({
  model: "doubao-seedance-1-5-pro-251215",
  content: [{ type: "text", text }],
  resolution: "720p",
  ratio: "16:9",
  duration: 5,
  ...more,
});

export const soraBody = (prompt: string, more: Json = {}): Json => ({
  model: "sora-2",
  prompt,
  seconds: "4",
  size: "1280x720",
  ...more,
});

/** Calls the simulated vendors as their documentation says. */
export function vendorClient({ baseUrls, secret }: VideoSimulator) {
  const send = (method: string, url: string, { body, headers }: { body?: unknown; headers?: Json } = {}) =>
    fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "x-dashscope-async": "enable",
        ...(headers as Record<string, string>),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const wanUrl = `${baseUrls.dashscope}/services/aigc/video-generation/video-synthesis`;
  const wanTask = (taskId: string) => `${baseUrls.dashscope}/tasks/${taskId}`;
  const output = async (response: Promise<Response>) => (await readJson(response)).output as Json;
  const submitWan = (prompt: string) => send("POST", wanUrl, { body: wanBody(prompt) });
  const pollWan = (taskId: string) => send("GET", wanTask(taskId));
  const arkUrl = `${baseUrls.ark}/contents/generations/tasks`;
  return {
    send,
    wanUrl,
    wanTask,
    submitWan,
    pollWan,
    makeWan: async (prompt = "a cat") => String((await output(submitWan(prompt))).task_id),
    lookWan: (taskId: string) => output(pollWan(taskId)),
    stateOfWan: async (taskId: string) => (await output(pollWan(taskId))).task_status,
    arkUrl,
    makeArk: async (text: string) =>
      String((await readJson(send("POST", arkUrl, { body: seedanceBody(text) }))).id),
    videosUrl: `${baseUrls["openai-video"]}/videos`,
  };
}
