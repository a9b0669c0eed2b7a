/** Good and bad answers of an upstream. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { answerWith, chatDelta, chatUsage, type UpstreamHandler, usage } from "./upstream";

/** Three words in about a third of a second; a JSON answer takes as long. */
export const wholeAnswer: UpstreamHandler = async (call, response, request) => {
  const counts = usage(10, 3);
  if (call.body.stream !== true) {
    await sleep(200);
    await answerWith("one two three", counts)(call, response, request);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const word of ["one ", "two ", "three"]) {
    response.write(chatDelta({ content: word }));
    await sleep(100);
  }
  response.end(`${chatDelta({}, "stop")}${chatUsage(counts)}data: [DONE]\n\n`);
};

export const hang: UpstreamHandler = async (_asked, response) => {
  await once(response, "close");
};

/** One byte at a time: the connection looks alive, and the answer never ends. */
export const drip: UpstreamHandler = async (_asked, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const byte of chatDelta({ content: "drop by drop" }).repeat(100)) {
    if (response.destroyed) {
      return;
    }
    response.write(byte);
    await sleep(50);
  }
};

export const comment: UpstreamHandler = async (_asked, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  while (!response.destroyed) {
    response.write(": still here\n\n");
    await sleep(200);
  }
};

export const reset: UpstreamHandler = async (call, response) => {
  if (call.body.stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chatDelta({ content: "one " }));
    await sleep(50);
  }
  response.socket?.resetAndDestroy();
};

export const redirect: UpstreamHandler = (_asked, response) =>
  void response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();
