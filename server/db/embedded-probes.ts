/** Probes of this machine for the embedded database: processes, ports, and servers that answer. */
import { once } from "node:events";
import { createServer } from "node:net";
import postgres from "postgres";

/** Whether a process with this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A free port: the former one if it is free, so that a server that joined this database finds it again. */
export async function freePort(before = 0): Promise<number> {
  const probe = createServer().listen(before, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch (error) {
    if (before === 0) {
      throw error;
    }
    return await freePort();
  }
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") {
    throw new Error("the system gave no port");
  }
  return address.port;
}

/** Whether a database takes statements at this address. */
export async function answers(url: string): Promise<boolean> {
  const client = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await client`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await client.end({ timeout: 1 });
  }
}
