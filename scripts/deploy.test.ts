import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { environmentNames } from "@/server/base/config";
import { CONSOLE_SOURCES, SERVER_SOURCES } from "./build.mjs";

const read = (path: string) => readFileSync(path, "utf8");

type Compose = {
  services: Record<string, { environment: Record<string, string>; stop_grace_period?: string } & Hardening>;
};
type Hardening = { user?: string; read_only?: boolean; cap_drop?: string[]; security_opt?: string[] };
type ChartValues = { lameDuckSeconds: number; drainSeconds: number; [name: string]: unknown };

const compose: Compose = parse(read("deploy/compose.yaml"));
const { tollgate } = compose.services;
const values: ChartValues = parse(read("deploy/chart/tollgate/values.yaml"));
const templates = globSync("deploy/chart/tollgate/templates/*")
  .map((path) => read(path))
  .join("\n");
const unit = read("deploy/systemd/tollgate.service");
const dockerfile = read("Dockerfile");

const secondsIn = (text: string, name: string) => Number(new RegExp(`\\b${name}=(\\d+)`).exec(text)?.[1]);

/**
 * The longest time that a server takes to stop, in seconds, apart from its lame duck and its drain:
 * server/process/stopping.ts, server-processes.ts.
 */
const CLOSING = 26;

test("each supervisor waits for a server's lame duck, drain and closing before it kills the server", () => {
  const { LAME_DUCK_SECONDS, DRAIN_SECONDS } = tollgate?.environment ?? {};
  const composed = Number(LAME_DUCK_SECONDS) + Number(DRAIN_SECONDS);
  expect(Number.parseInt(tollgate?.stop_grace_period ?? "", 10)).toBeGreaterThan(composed + CLOSING);
  expect(tollgate?.stop_grace_period).toMatch(/^\d+s$/);

  const waits = secondsIn(unit, "LAME_DUCK_SECONDS") + secondsIn(unit, "DRAIN_SECONDS");
  expect(secondsIn(unit, "TimeoutStopSec")).toBeGreaterThan(waits + CLOSING);

  // The chart computes the grace period from both values, so that a change of either value also changes it.
  const [, added] =
    /terminationGracePeriodSeconds: \{\{ add \(int \.Values\.lameDuckSeconds\) \(int \.Values\.drainSeconds\) (\d+) \}\}/.exec(
      templates,
    ) ?? [];
  expect(Number(added)).toBeGreaterThan(CLOSING);
  for (const [name, value] of [
    ["LAME_DUCK_SECONDS", "lameDuckSeconds"],
    ["DRAIN_SECONDS", "drainSeconds"],
  ] as const) {
    expect(values[value]).toBeGreaterThan(0);
    expect(templates).toContain(`name: ${name}, value: {{ .Values.${value} | quote }}`);
  }
});

test("each variable that is set for a server exists", () => {
  const named = [
    ...Object.keys(tollgate?.environment ?? {}),
    ...[...templates.matchAll(/- \{ name: ([A-Z_]+),/g)].map(([, name]) => name),
    ...[...(/^Environment=(.*)$/m.exec(unit)?.[1] ?? "").matchAll(/([A-Z_]+)=/g)].map(([, name]) => name),
    ...[...(/^ENV (HOST.*)$/m.exec(dockerfile)?.[1] ?? "").matchAll(/([A-Z_]+)=/g)].map(([, name]) => name),
  ];
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !environmentNames.includes(name ?? ""))).toEqual([]);
});

test("a value of the chart has the same name in its templates, its defaults and its schema", () => {
  type ValuesSchema = { properties?: Record<string, ValuesSchema>; type?: unknown };
  const schema = JSON.parse(read("deploy/chart/tollgate/values.schema.json")) as ValuesSchema;
  const pathsOf = (part: ValuesSchema, path: string): string[] =>
    Object.entries(part.properties ?? {}).flatMap(([name, inner]) =>
      inner.properties ? pathsOf(inner, `${path}.${name}`) : [`${path}.${name}`],
    );
  const paths = pathsOf(schema, "").filter((path) => path !== ".global");
  const defaultOf = (path: string) =>
    path
      .slice(1)
      .split(".")
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], values);
  expect(paths.filter((path) => defaultOf(path) === undefined)).toEqual([]);
  const used = new Set([...templates.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path]) => path));
  expect([...used].sort()).toEqual(paths.sort());
});

test("servers do not run as root, write only to their data and /tmp, and cannot gain privileges", () => {
  expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  expect(tollgate).toMatchObject({
    user: "10001:10001",
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
  });
  for (const line of [
    "runAsNonRoot: true",
    "readOnlyRootFilesystem: true",
    "allowPrivilegeEscalation: false",
    "capabilities: { drop: [ALL] }",
    "automountServiceAccountToken: false",
    "seccompProfile: { type: RuntimeDefault }",
  ]) {
    expect(templates).toContain(line);
  }
  expect(unit).toMatch(/^DynamicUser=yes$[\s\S]*^ProtectSystem=strict$/m);
});

test("an image is built from the lock file, and has no secrets or tests in it", () => {
  expect(dockerfile).toMatch(/^RUN npm ci /m);
  // The file lists what is included: a new file stays outside.
  const ignored = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(ignored[0]).toBe("*");
  const paths = ignored.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  expect(paths.filter((name) => globSync(name).length === 0)).toEqual([]);
  // The build accepts a missing folder, so the image would be made without it.
  expect(paths).toEqual(expect.arrayContaining([...SERVER_SOURCES, ...CONSOLE_SOURCES]));
});

test("the sources of the server include every file that its build copies", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-sources-"));
  for (const path of SERVER_SOURCES) {
    cpSync(path, join(folder, path), { recursive: true });
  }
  const copyFiles = 'import("./scripts/assemble.mjs").then(({ copyFiles }) => copyFiles("dist"))';
  const { status, stderr } = spawnSync(process.execPath, ["-e", copyFiles], {
    cwd: folder,
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("proxies pass events on at once, overwrite the client's address, and wait longer than the server", () => {
  const nginx = read("deploy/proxy/nginx.conf");
  const directive = (name: string) => new RegExp(`^ *${name} +(.*);$`, "m").exec(nginx)?.[1];
  expect(directive("proxy_buffering")).toBe("off");
  expect(directive("proxy_request_buffering")).toBe("off");
  expect(directive("proxy_set_header X-Forwarded-For")).toBe("$remote_addr");
  expect(directive("proxy_set_header X-Forwarded-Host")).toBe("$host");
  expect(directive("proxy_set_header X-Forwarded-Proto")).toBe("$scheme");
  expect(Number.parseInt(directive("proxy_read_timeout") ?? "", 10)).toBeGreaterThan(120);
  // `max_fails=0`: a server that was just restarted stays in rotation while the next one restarts.
  expect(nginx.match(/server [\d.]+:3000[^;]*;/g)).toEqual(
    Array(2).fill(expect.stringMatching(/ max_fails=0;$/)),
  );
  // The server's is 75 seconds: the proxy must close first.
  expect(Number.parseInt(directive("keepalive_timeout") ?? "", 10)).toBeLessThan(75);
  expect(read("deploy/proxy/Caddyfile")).toMatch(/flush_interval -1[\s\S]*keepalive 60s/);
});

/** Runs the script on the sample with one replica, at a port on which no server listens. */
function roll(...replicas: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-roll-"));
  const file = join(folder, "tollgate.conf");
  const sample = read("deploy/proxy/nginx.conf").replace("server 127.0.0.1:3000", "server 127.0.0.1:1");
  writeFileSync(file, sample);
  const { status, stderr } = spawnSync("sh", ["deploy/proxy/roll-nginx.sh", file, ...replicas], {
    encoding: "utf8",
    // The shell of a person who operates nginx has the system's programs.
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/bin:/bin`, NGINX: "false" },
  });
  const isUnchanged = read(file) === sample;
  rmSync(folder, { recursive: true });
  return { status, words: stderr.trim(), isUnchanged };
}

test("the script for nginx restarts nothing if that would leave no replica in the list", () => {
  const restart = "touch restarted";
  expect(roll(`127.0.0.1:1=${restart}`)).toMatchObject({ status: 2, isUnchanged: true });
  expect(roll(`127.0.0.1:1=${restart}`, `10.0.0.2:3000=${restart}`)).toEqual({
    status: 1,
    words: expect.stringMatching(/has no line: server 10\.0\.0\.2:3000$/),
    isUnchanged: true,
  });
  expect(roll(`127.0.0.1:1=${restart}`, `127.0.0.1:1=${restart} again`)).toEqual({
    status: 1,
    words: "roll-nginx: 127.0.0.1:1 is not ready, so 127.0.0.1:1 stays",
    isUnchanged: true,
  });
});

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = {
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
  needs?: string;
  steps: Step[];
};
const release: { permissions: object; jobs: Record<string, Job> } = parse(
  read(".github/workflows/release.yml"),
);

test("the release's workflow uses actions of a fixed commit, with the least permissions", () => {
  expect(release.permissions).toEqual({});
  expect(release.jobs.check?.permissions).toEqual({ contents: "read" });
  const published = { contents: "read", "id-token": "write", attestations: "write" };
  expect(release.jobs.publish?.permissions).toEqual(published);
  for (const { permissions, steps, ...job } of Object.values(release.jobs)) {
    expect(permissions).toBeDefined();
    expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
    for (const { uses, with: inputs } of steps) {
      expect(uses ?? "none").toMatch(/^none$|^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      if (uses?.startsWith("actions/checkout@")) {
        expect(inputs).toMatchObject({ "persist-credentials": false });
      }
    }
  }
});

test("a release publishes only what passed all checks, and signs, attests and verifies both artefacts", () => {
  expect(release.jobs.check?.steps.some(({ run }) => run === "bash .ci/run")).toBe(true);
  const { needs, steps } = release.jobs.publish as Job;
  expect(needs).toBe("check");
  const artefacts = '"$IMAGE@$IMAGE_DIGEST" "$CHARTS/tollgate@$CHART_DIGEST"';
  for (const command of ["cosign sign", "cosign verify"]) {
    expect(steps.find(({ run }) => run?.startsWith(command))?.run).toContain(artefacts);
  }
  const attested = steps.filter(({ uses }) => uses?.startsWith("actions/attest-build-provenance@"));
  const subjects = attested.map((step) => [step.with?.["subject-name"], step.with?.["subject-digest"]]);
  const expression = (name: string) => `\${{ ${name} }}`;
  expect(subjects).toEqual([
    [expression("env.IMAGE"), expression("steps.image.outputs.digest")],
    [`${expression("env.CHARTS")}/tollgate`, expression("steps.chart.outputs.digest")],
  ]);
  // The tag that the chart asks for: its appVersion.
  const image = steps.find(({ uses }) => uses?.startsWith("docker/build-push-action@"));
  expect(image?.with?.tags).toBe(`${expression("env.IMAGE")}:${expression("steps.version.outputs.number")}`);
});
