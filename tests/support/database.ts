import postgres from "postgres";
import { inject } from "vitest";

let count = 0;

/** The URL of a new, migrated, empty database of this test file. */
export async function freshDatabase(): Promise<string> {
  const template = new URL(inject("templateUrl"));
  const templateName = template.pathname.slice(1);
  const name = `${templateName}_${process.pid}_${count++}`;
  const admin = new URL(template);
  admin.pathname = "/postgres";
  const client = postgres(admin.href, { max: 1, onnotice: () => {} });
  // Two files that copy the template at once exclude each other; the later one tries again.
  for (let tries = 0; ; tries++) {
    try {
      await client.unsafe(`create database ${name} template ${templateName}`);
      break;
    } catch (error) {
      if (tries > 50) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await client.end();
  const url = new URL(template);
  url.pathname = `/${name}`;
  return url.href;
}
