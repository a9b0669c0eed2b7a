/**
 * The floor of this language: the least that a gateway in Node can do. It parses and prints the body of a call and a
 * whole answer, as every gateway that reads them must; it forwards the pieces of a stream as they come.
 */
import { createServer, type ServerResponse } from "node:http";
import { Pool } from "undici";
import { serveFree } from "../messages";

const upstream = new Pool(process.argv[2] ?? "", { connections: 1_024, pipelining: 1 });
const isJson = (type: unknown) => String(type).startsWith("application/json");

function forward(path: string, body: string, response: ServerResponse): void {
  let whole: Buffer[] | null = null;
  upstream.dispatch(
    { path, method: "POST", headers: { "content-type": "application/json" }, body },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, status, headers) => {
        whole = isJson(headers["content-type"]) ? [] : null;
        response.writeHead(status, { "content-type": String(headers["content-type"]) });
      },
      onResponseData: (controller, piece) => {
        if (whole) {
          whole.push(piece);
        } else if (!response.write(piece)) {
          controller.pause();
          response.once("drain", () => controller.resume());
        }
      },
      onResponseEnd: () =>
        void response.end(whole ? JSON.stringify(JSON.parse(Buffer.concat(whole).toString())) : undefined),
      onResponseError: () => void response.destroy(),
    },
  );
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString());
    forward(request.url ?? "/", JSON.stringify(body), response);
  });
});
server.keepAliveTimeout = 75_000;
await serveFree(server);
