import { execFile } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { setChannelEnabled } from "@/server/channels";
import type { ChannelId } from "@/server/domain/ids";
import { serverEnvironment, startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { waitForBuild } from "@/tests/support/process";
import { refuseWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway({ env: { METRICS_TOKEN: TOKEN } }));
const upstream = perFile(() => startUpstream(refuseWith(500)));
let broken: string;
let disabled: ChannelId;

const TOKEN = "m".repeat(32);

beforeAll(async () => {
  await waitForBuild();
  const model = await gateway.model();
  broken = await gateway.channel({ model, name: "broken", baseUrl: upstream.baseUrl });
  disabled = await gateway.channel({ model, name: "disabled", baseUrl: upstream.baseUrl });
  await setChannelEnabled(gateway.runtime.db, { channelId: disabled, isEnabled: false });
  gateway.runtime.channels.forget();
  const { secret } = await gateway.customer();
  await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }], max_tokens: 1 });
});

type ChannelListing = { name: string; state: string; enabled: boolean };
type DoctorResult = { check: string; ok: boolean; detail: string };

/** The output of a command, whatever its exit code. `port`: where the command looks for the server. */
const printed = <T>(port: string, ...words: string[]) =>
  new Promise<T>((resolve, reject) => {
    const own = { PATH: process.env.PATH ?? "", NODE_ENV: "test" as const, METRICS_TOKEN: TOKEN, PORT: port };
    const env = { ...serverEnvironment(gateway.databaseUrl), ...own };
    execFile(process.execPath, ["dist/tollgate.js", ...words, "--json"], { env }, (error, out) => {
      // `doctor` exits with 1 if it finds a fault.
      out === "" ? reject(error) : resolve(JSON.parse(out) as T);
    });
  });

const stateOf = async (channelId: string) =>
  (await gateway.runtime.channels.states()).find((standing) => standing.channelId === channelId)?.state;

test("the metrics, the list of channels and doctor report the same state as the console", async () => {
  expect(await stateOf(broken)).toBe("faulty");
  const metrics = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const gauge = (await metrics.text()).split("\n").filter((line) => /^tollgate_channel_state/.test(line));
  const stateLine = (id: string, state: string) =>
    `tollgate_channel_state{channel="${id}",state="${state}"} 1`;
  expect(gauge.sort()).toEqual([stateLine(broken, "faulty"), stateLine(disabled, "disabled")].sort());
  const { port } = new URL(gateway.url);
  const listed = await printed<ChannelListing[]>(port, "channel", "list");
  expect(listed).toMatchObject([
    { name: "broken", enabled: true, state: "faulty" },
    { name: "disabled", enabled: false, state: "disabled" },
  ]);
  const checks = await printed<DoctorResult[]>(port, "doctor");
  const detail = /^broken: faulty, as reported by the server at http:\/\/127\.0\.0\.1:\d+\/metrics$/;
  const states = checks.find(({ check }) => check === "states");
  expect(states).toMatchObject({ ok: false, detail: expect.stringMatching(detail) });
});

test("without a server to ask, commands report what is stored, and the rest as unknown", async () => {
  // No server listens on the discard port.
  expect(await printed<ChannelListing[]>("9", "channel", "list")).toMatchObject([
    { name: "broken", enabled: true, state: "unknown" },
    { name: "disabled", enabled: false, state: "disabled" },
  ]);
  const checks = await printed<DoctorResult[]>("9", "doctor");
  expect(checks.find(({ check }) => check === "states")).toMatchObject({
    ok: true,
    detail: "unknown for broken: no server answers at http://127.0.0.1:9/metrics",
  });
});
