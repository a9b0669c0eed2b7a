import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { readDatabaseUrl } from "./database-url";

const HOST = "postgres://me:p%40ss@db.example.com:5432/gate";
const root = join(temporaryDirectory(), "root.pem");
writeFileSync(root, "certificate");

test("an address without TLS settings stays as it is", () => {
  expect(readDatabaseUrl(`${HOST}?application_name=x`)).toEqual({
    ...{ url: `${HOST}?application_name=x`, others: [], role: "primary" },
    ssl: undefined,
  });
});

test("an address may have several hosts, with and without TLS", () => {
  const several = "postgres://me:pass@a:5432,b:5433/gate";
  const hosts = { url: "postgres://me:pass@a:5432/gate", others: ["postgres://me:pass@b:5433/gate"] };
  expect(readDatabaseUrl(several)).toEqual({ ...hosts, role: "primary", ssl: undefined });
  expect(readDatabaseUrl(`${several}?sslmode=disable`)).toEqual({ ...hosts, role: "primary", ssl: false });
});

test.each([
  ["read-write", "primary"],
  ["primary", "primary"],
  ["standby", "standby"],
  ["any", "any"],
])("target_session_attrs=%s means %s, and is removed from the address", (target, role) => {
  expect(readDatabaseUrl(`${HOST}?target_session_attrs=${target}`)).toMatchObject({ url: HOST, role });
});

test("each sslmode has its meaning in libpq", () => {
  const sslOf = (query: string) => readDatabaseUrl(`${HOST}?${query}`).ssl;
  expect(sslOf("sslmode=prefer")).toBe("prefer");
  expect(sslOf("sslmode=require")).toMatchObject({ rejectUnauthorized: false });
  expect(sslOf("sslmode=verify-full")).toEqual({ rejectUnauthorized: true });
  expect(sslOf(`sslmode=verify-full&sslrootcert=${root}`)).toEqual({
    rejectUnauthorized: true,
    ca: "certificate",
  });
  for (const mode of ["verify-ca", "require"]) {
    expect(sslOf(`sslmode=${mode}&sslrootcert=${root}`)).toMatchObject({
      rejectUnauthorized: true,
      ca: "certificate",
      checkServerIdentity: expect.any(Function),
    });
  }
});

test.each([
  ["mysql://a/b", "no address such as"],
  [`${HOST}?target_session_attrs=prefer-standby`, "prefer-standby is none of read-write, primary"],
  ["postgres://me:secret@/b", "no address such as"],
  ["postgres://me:secret@a:1,b:x/c", "no address such as"],
  [`${HOST}?sslmode=verify`, "sslmode=verify is none of"],
  ["postgres://me:secret@a,10.0.0.1:5432/b?sslmode=verify-full", "needs a host by its name"],
  [`${HOST}?sslrootcert=${root}`, "sslrootcert needs sslmode"],
  [`${HOST}?sslmode=require&sslcert=${root}`, "belong together"],
  [`${HOST}?sslmode=verify-full&sslrootcert=/nowhere.pem`, "/nowhere.pem cannot be read (ENOENT)"],
])("%s is refused with a reason and without the password", (url, words) => {
  const read = () => readDatabaseUrl(url);
  expect(read).toThrow(words);
  expect(read).not.toThrow(/secret|p%40ss/);
});
