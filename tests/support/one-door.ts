/** Changes that one door alone has, and why. */
export const oneDoor: Record<string, string> = {
  "user.reset_password": "as user.invite, of somebody who has a password",
  "user.set_password": "by a link",
  "user.change_password": "one's own, and a command is nobody's",
  "user.enable_totp": "one's own, and a command is nobody's",
  "user.disable_totp": "one's own, and a command is nobody's",
  "user.end_session": "one's own, and a command is nobody's",
  "user.link_identity": "by whom the provider sends",
  "user.renew_recovery_codes": "one's own, and a command is nobody's",
  "ledger.repair": "a command's alone: it follows a verification",
  "ledger.archive": "a command's alone: it follows the file that it has written",
  "secrets.rotate": "a command's alone: it needs the environment",
  "secrets.accept": "a command's alone: it needs the environment",
};
