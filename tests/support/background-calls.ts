import { type EmbeddedGateway, FAULT_MODEL } from "./embedded-gateway";

/** The body of a background response of this model. */
export const inBackground = { model: FAULT_MODEL, input: "hi", background: true };

/** Asks the server that runs now for a response: creates one, or reads an existing one. */
export const responsesOf =
  (gateway: EmbeddedGateway, secret: string) => async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const answer = await fetch(`${gateway.server().url}/v1/responses${path}`, { headers, ...init });
    return (await answer.json()) as { id: string; status: string };
  };
