import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { freePort } from "@/tests/support/free-port";
import { type CoreGroup, type Server, startStranger } from "../processes";

type NginxSetup = { port: number; folder: string; to: string[] };

/**
 * Only forwards: one worker, upstream connections kept, answers not buffered, no log. Of several upstreams it chooses
 * the one with the fewest calls.
 */
const configOf = ({ port, folder, to }: NginxSetup) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log crit;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/bodies;
  proxy_temp_path ${folder}/answers;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream bench {
    least_conn;
    ${to.map((url) => `server ${new URL(url).host};`).join(" ")}
    keepalive 1024;
    keepalive_requests 1000000000;
  }
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

/** This machine's nginx, as a plain proxy. Throws if there is none. */
export async function startNginx(to: string[], place: CoreGroup = "first core"): Promise<Server> {
  const port = await freePort();
  const folder = resolve("dist/load/nginx", String(port));
  await mkdir(folder, { recursive: true });
  const config = join(folder, "nginx.conf");
  await writeFile(config, configOf({ port, folder, to }));
  const args = ["-c", config, "-e", join(folder, "error.log"), "-p", folder];
  return await startStranger({ command: "nginx", args, place }, { port, path: "/" });
}
