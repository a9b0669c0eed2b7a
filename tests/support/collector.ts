import { createServer, type RequestListener } from "node:http";
import { afterAll } from "vitest";
import { bodyOf, end, listen } from "./listen";

type Value = { stringValue?: string; intValue?: number; doubleValue?: number };
type Attributes = { key: string; value: Value }[];
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attributes;
  links?: { traceId: string }[];
  status: { code?: number };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
};
type Export = {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: Span[] }[] }[];
};

/** The attributes of a span or a resource. */
export const attributesOf = ({ attributes }: { attributes: Attributes } = { attributes: [] }) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );

/** OTLP collectors that answer with `answer`, until a file's tests are over. */
export function collectors(): (answer: RequestListener) => Promise<string> {
  const servers: ReturnType<typeof createServer>[] = [];
  afterAll(() => Promise.all(servers.map(end)));
  return async (answer) => {
    const server = createServer(answer);
    servers.push(server);
    return `http://127.0.0.1:${await listen(server)}`;
  };
}

/** A collector's handler that keeps all exports. */
export function exportRecorder() {
  const exports: Export[] = [];
  const answer: RequestListener = async (request, response) => {
    exports.push(JSON.parse((await bodyOf(request)).toString()) as Export);
    response.setHeader("content-type", "application/json").end("{}");
  };
  const resources = () => exports.flatMap(({ resourceSpans }) => resourceSpans);
  return {
    answer,
    resources: () => resources().map(({ resource }) => resource),
    spans: () => resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    text: () => JSON.stringify(exports),
  };
}
