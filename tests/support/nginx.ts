import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port";
import { end, listen } from "./listen";
import { until } from "./until";

/** The sample of `deploy/proxy` with these replicas, without TLS, on this port. */
async function sampleFor(urls: string[], port: number): Promise<string> {
  const sample = await readFile("deploy/proxy/nginx.conf", "utf8");
  const servers = urls.map((url) => `  server ${new URL(url).host} max_fails=0;`).join("\n");
  return sample
    .replace("  server 127.0.0.1:3000 max_fails=0;", servers)
    .replace("  listen 443 ssl;", `  listen 127.0.0.1:${port};`)
    .replace(/^ {2}(listen \[::\]|ssl_certificate).*\n/gm, "");
}

/** Answers when the restart of the replica whose place is the path is done. */
function startRestarter(restart: (place: number) => Promise<void>) {
  return createServer((incoming, outgoing) => {
    restart(Number(incoming.url?.slice(1))).then(
      () => void outgoing.end(),
      (error: unknown) => void outgoing.writeHead(500).end(String(error)),
    );
  });
}

/**
 * A real nginx in front of replicas, which learns of a replica's state only by its connections. The script of
 * `deploy/proxy` restarts them.
 */
export async function startNginx(program: string, urls: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-nginx-"));
  const port = await freePort();
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const path = join(folder, "nginx.conf");
  await writeFile(
    path,
    `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents { worker_connections 4096; }
http {\n  access_log off;\n${paths}\n${await sampleFor(urls, port)}\n}\n`,
  );
  const words = ["-c", path, "-p", folder, "-e", `${folder}/error.log`];
  const child = spawn(program, words, { stdio: "inherit" });
  const url = `http://127.0.0.1:${port}`;
  const isUp = (baseUrl: string) =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(() => isUp(url), 10_000);
  return {
    url,
    roll: async (restart: (place: number) => Promise<void>) => {
      const restarter = startRestarter(restart);
      const at = `http://127.0.0.1:${await listen(restarter)}`;
      const replicas = urls.map((each, place) => `${new URL(each).host}=curl --fail --silent ${at}/${place}`);
      const env = { ...process.env, NGINX: [program, ...words].join(" "), NGINX_PID: join(folder, "pid") };
      await promisify(execFile)("sh", ["deploy/proxy/roll-nginx.sh", path, ...replicas], { env });
      await end(restarter);
    },
    close: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
