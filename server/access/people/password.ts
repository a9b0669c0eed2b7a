import { randomUUID } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { Refusal } from "@/server/domain/refusal";

const MIN_CHARACTERS = 10;
/** Limits the input of the hash. */
const MAX_CHARACTERS = 1024;

/** Hashes with Argon2id. Throws Refusal if the password is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < MIN_CHARACTERS) {
    throw new Refusal(`a password must have at least ${MIN_CHARACTERS} characters`, "passwordTooShort", {
      min: MIN_CHARACTERS,
    });
  }
  if (password.length > MAX_CHARACTERS) {
    throw new Refusal(`a password can have at most ${MAX_CHARACTERS} characters`, "passwordTooLong", {
      max: MAX_CHARACTERS,
    });
  }
  return await hash(password);
}

let decoy: Promise<string> | undefined;

/**
 * Whether the password is right. Without a hash the answer is no, after the same time, so that timing does not reveal
 * which users exist.
 */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  decoy ??= hash(randomUUID());
  const fallback = await decoy;
  const isRight = await verify(passwordHash ?? fallback, password);
  return isRight && passwordHash !== null;
}
