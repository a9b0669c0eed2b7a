import { TOTP } from "otpauth";
import { securityPage } from "../pages/security-page";
import { shell } from "../pages/shell";
import { enter, signInPage } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";

const STEP_MS = 30_000;

/**
 * The code of an authenticator app some steps ahead. No code is accepted twice, and a test does not wait for the next
 * one.
 */
const codeOf = (secret: string, stepsAhead = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + stepsAhead * STEP_MS });

test("with a second factor the password alone signs no user in, and a fresh code or a recovery code does, once", async ({
  page,
  otherPage,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/security");
  let secret = "";
  const { password } = customer.owner;
  const [recoveryCode = ""] = await securityPage(page, t).turnOnSecondFactor(password, (shown) => {
    secret = shown;
    return codeOf(secret);
  });

  const form = signInPage(otherPage, t);
  const menu = otherPage.getByRole("navigation", { name: t("shell.navigation") });
  const code = codeOf(secret, 1);
  await form.open();
  await form.fill(customer.owner);
  await form.submit();
  await expect(form.code()).toBeFocused();
  await form.code().fill("000000");
  await form.submit();
  await expect(form.refusal()).toHaveText(t("signIn.wrongCode"));
  await form.code().fill(code);
  await form.submit();
  await expect(menu).toBeVisible();

  await shell(otherPage, t).signOut(customer.owner.email);
  for (const [attempt, isTaken] of [
    [code, false],
    [recoveryCode, true],
  ] as const) {
    await form.open();
    await form.fill(customer.owner);
    await form.submit();
    await form.code().fill(attempt);
    await form.submit();
    await expect(isTaken ? menu : form.refusal()).toBeVisible();
  }
});
