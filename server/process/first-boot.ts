import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  createAccount,
  createUser,
  hasOperator,
  isPasswordInForce,
  issueKey,
  issueLink,
  linkPath,
  listAccounts,
  listUsers,
} from "@/server/access";
import { COMMAND_LINE } from "@/server/base/command-line";
import { type Nanos, parseMoney } from "@/server/base/money";
import { saveModel } from "@/server/catalog";
import { addChannel, listChannels } from "@/server/channels";
import { transaction } from "@/server/db";
import { Refusal } from "@/server/domain/refusal";
import { sandboxModels, sandboxVideoModels } from "@/server/upstream";
import type { Runtime } from "../runtime/runtime";
import { addVendorChannels } from "./vendor-channels";

/**
 * The result of the first start. It is kept next to the embedded database (mode 0600), so that later starts can print
 * it again while it is valid. For an external database, and for a password of the operator's own, no secret is kept or
 * printed that is valid for longer than a day.
 */
export type FirstBoot = {
  adminEmail?: string;
  adminPassword?: string;
  /** The link by which the administrator sets a password, once and within a day: the path with its token. */
  adminLink?: string;
  demoKey?: string;
};

/** The parts of a runtime that a first boot needs. */
export type BootGround = Pick<Runtime, "config" | "db" | "secrets" | "vault"> & {
  access: Pick<Runtime["access"], "wouldAdmit">;
};

/** An amount that is written here. */
function money(text: string): Nanos {
  const amount = parseMoney(text);
  if (amount === null) {
    throw new Error(`${text} is no amount`);
  }
  return amount;
}

const notePath = (dataDir: string) => join(resolve(dataDir), "first-start.json");

function readNote(dataDir: string): FirstBoot {
  const path = notePath(dataDir);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as FirstBoot) : {};
}

/**
 * The part of the note that still opens something: a password until it is changed or its user is disabled, a key while
 * it may call from here.
 */
async function keepValid({ config, db, access }: BootGround, note: FirstBoot): Promise<FirstBoot> {
  const { adminEmail, adminPassword, demoKey } = note;
  const password = adminPassword ?? config.TOLLGATE_ADMIN_PASSWORD;
  const signsIn =
    adminEmail !== undefined &&
    password !== undefined &&
    (await isPasswordInForce(db, { email: adminEmail, password }));
  const calls = demoKey !== undefined && (await access.wouldAdmit(demoKey, { address: "127.0.0.1" }));
  return {
    ...(signsIn && { adminEmail, ...(adminPassword !== undefined && { adminPassword }) }),
    ...(calls && { demoKey }),
  };
}

/**
 * Adds what is missing: an administrator, and the channels of vendors whose keys are in the environment. On the embedded
 * database, or if `SANDBOX` says so, it adds the sandbox. The embedded database also gets a demo account.
 */
export async function firstBoot(runtime: BootGround, say: (line: string) => void): Promise<FirstBoot> {
  const { config, db } = runtime;
  const isEmbedded = config.DATABASE_URL === undefined;
  const hasSandbox = config.SANDBOX ?? isEmbedded;
  const made: FirstBoot = isEmbedded ? await keepValid(runtime, readNote(config.TOLLGATE_DATA_DIR)) : {};
  if (!(await hasOperator(db))) {
    Object.assign(made, await addOperator(runtime));
  } else {
    await sayWhoIsAwaited(runtime, say);
  }
  if (hasSandbox && !(await isSandboxThere(runtime))) {
    await addSandbox(runtime);
  }
  // An external database gets no key that its log would show.
  if (isEmbedded && hasSandbox && (await listAccounts(db)).every((account) => account.name !== "demo")) {
    const account = await createAccount(db, { name: "demo", monthlyQuotaNanos: money("100") });
    const key = await issueKey(db, { accountId: account.id, name: "first key" }, runtime.secrets.keyPepper);
    made.demoKey = key.secret;
  }
  if (isEmbedded) {
    await writeFile(notePath(config.TOLLGATE_DATA_DIR), JSON.stringify(made), { mode: 0o600 });
  }
  await addVendorChannels(runtime, say);
  return made;
}

/** The first start may have failed after creating its link, before anyone read it; and a link is valid for a day. */
async function sayWhoIsAwaited({ db }: BootGround, say: (line: string) => void): Promise<void> {
  const operators = (await listUsers(db, { accountId: null })).filter(
    ({ role, status }) => role === "operator" && status === "active",
  );
  const [awaited] = operators;
  if (awaited && operators.every(({ hasPassword }) => !hasPassword)) {
    say(
      `No operator has set a password yet. Another link: ${COMMAND_LINE} user reset-password --email ${awaited.email}`,
    );
  }
}

/** If replicas start at the same time on an empty database, one adds the operator and prints how to sign in. */
async function addOperator({ config, db }: BootGround): Promise<FirstBoot> {
  const adminEmail = config.TOLLGATE_ADMIN_EMAIL;
  const adminPassword = config.TOLLGATE_ADMIN_PASSWORD;
  const made =
    adminPassword === undefined && config.DATABASE_URL === undefined
      ? randomBytes(12).toString("base64url")
      : null;
  try {
    return await transaction(db, async (tx) => {
      const { id } = await createUser(tx, {
        accountId: null,
        email: adminEmail,
        password: adminPassword ?? made,
      });
      if (adminPassword !== undefined) {
        return { adminEmail };
      }
      return made === null
        ? { adminEmail, adminLink: linkPath((await issueLink(tx, id)).token) }
        : { adminEmail, adminPassword: made };
    });
  } catch (error) {
    if (error instanceof Refusal && (await hasOperator(db))) {
      return {};
    }
    throw error;
  }
}

const isSandboxThere = async ({ db }: Pick<BootGround, "db">) =>
  (await listChannels(db)).some(({ dialect }) => dialect === "sandbox");

async function addSandbox({ db, vault }: BootGround): Promise<void> {
  for (const [id, kind] of Object.entries(sandboxModels)) {
    await saveModel(db, {
      id,
      kind,
      ownedBy: "sandbox",
      isEnabled: true,
      maxOutputTokens: 4_096,
      inputPrice: money("1"),
      outputPrice: money(kind === "chat" ? "2" : "0"),
    });
  }
  for (const [id, made] of Object.entries(sandboxVideoModels)) {
    await saveModel(db, {
      id,
      kind: "video",
      ownedBy: "sandbox",
      isEnabled: true,
      videoPrices: [{ ...made, price: money(made.resolution === "1080p" ? "0.10" : "0.05") }],
    });
  }
  const served = Object.keys({ ...sandboxModels, ...sandboxVideoModels });
  await addChannel(
    db,
    {
      name: "sandbox",
      dialect: "sandbox",
      baseUrl: "sandbox:",
      secrets: ["none"],
      models: Object.fromEntries(served.map((id) => [id, id])),
    },
    vault,
  ).catch(async (error: unknown) => {
    // Another replica that starts at the same time has added it.
    if (!(error instanceof Refusal && (await isSandboxThere({ db })))) {
      throw error;
    }
  });
}
