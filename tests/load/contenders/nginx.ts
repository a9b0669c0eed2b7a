import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { freePort } from "@/tests/support/process";
import { type Server, startStranger } from "../processes";

const FOLDER = resolve("dist/load/nginx");

/** Nothing but passing on: one worker, connections to the upstream kept, answers not collected, no log. */
const configOf = (port: number, upstreamUrl: string) => `
daemon off;
worker_processes 1;
pid ${FOLDER}/nginx.pid;
error_log ${FOLDER}/error.log crit;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${FOLDER}/bodies;
  proxy_temp_path ${FOLDER}/answers;
  fastcgi_temp_path ${FOLDER}/fastcgi;
  uwsgi_temp_path ${FOLDER}/uwsgi;
  scgi_temp_path ${FOLDER}/scgi;
  upstream bench { server ${new URL(upstreamUrl).host}; keepalive 1024; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=2048;
    keepalive_requests 1000000000;
    location / {
      proxy_pass http://bench;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 300s;
    }
  }
}
`;

/** The nginx of this machine, as a plain proxy. Throws where there is none. */
export async function startNginx(upstreamUrl: string): Promise<Server> {
  await mkdir(FOLDER, { recursive: true });
  const port = await freePort();
  const config = join(FOLDER, "nginx.conf");
  await writeFile(config, configOf(port, upstreamUrl));
  const args = ["-c", config, "-e", join(FOLDER, "error.log"), "-p", FOLDER];
  return await startStranger({ command: "nginx", args, place: "first core" }, { port, path: "/" });
}
