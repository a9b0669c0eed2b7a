import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requestOf } from "./trial";

test("a curl command is a request to this server, whatever its host", () => {
  const code = `curl https://example.com/v1/chat/completions \\
  -H "Authorization: Bearer sk-a" -H "Content-Type: application/json" \\
  -d '{"model": "m"}'`;
  expect(requestOf(code)).toEqual({
    path: "/v1/chat/completions",
    method: "POST",
    headers: [
      ["Authorization", "Bearer sk-a"],
      ["Content-Type", "application/json"],
    ],
    body: '{"model": "m"}',
  });
});

test("without a body it reads", () => {
  expect(requestOf("curl http://a/v1/models?limit=1")).toEqual({
    path: "/v1/models?limit=1",
    method: "GET",
    headers: [],
    body: null,
  });
});

test("several commands, another program and an address without its end cannot be tried", () => {
  expect(requestOf("curl http://a/v1/models\ncurl http://a/v1/models")).toBeNull();
  expect(requestOf("npm start")).toBeNull();
  expect(requestOf("curl http://a/v1/videos/task_…")).toBeNull();
});

test("every JSON body of the guide's commands is read whole", () => {
  const commands = globSync("docs/guide/*/*.md").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^```sh\n(curl [\s\S]*?)^```/gm)].map(([, code = ""]) => code),
  );
  const bodies = commands.flatMap((code) => requestOf(code)?.body ?? []);
  expect(bodies.length).toBeGreaterThan(5);
  for (const body of bodies) {
    expect(() => JSON.parse(body)).not.toThrow();
  }
});
