import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { listen } from "./listen";

type Letter = Email & { recipients: string[]; isEncrypted: boolean };

const USER = { user: "alerts", password: "a secret / of mail" };

/** The setting with which a gateway sends its e-mail to the server on this port. */
export const mailUrlAt = (port: number): string =>
  `smtp://${USER.user}:${encodeURIComponent(USER.password)}@127.0.0.1:${port}?tls.rejectUnauthorized=false`;

/** `at`: its port; by default a free one. */
export async function startMailServer(at = 0) {
  const received: Letter[] = [];
  let refused: number | null = null;
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === USER.user && password === USER.password
        ? done(null, { user: USER.user })
        : done(new Error("nobody of ours")),
    onRcptTo: (_, __, done) =>
      refused === null ? done() : done(Object.assign(new Error("not now"), { responseCode: refused })),
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        void PostalMime.parse(Buffer.concat(parts)).then((mail) => {
          received.push({ ...mail, recipients, isEncrypted: session.secure });
          done();
        });
      });
    },
  });
  // A client that does not trust its certificate disconnects.
  server.on("error", () => {});
  const port = await listen(server.server, { port: at, host: "127.0.0.1" });
  return {
    url: mailUrlAt(port),
    received,
    /** Sets the status with which it refuses recipients from now on; null: it accepts them. */
    refuse: (code: number | null) => {
      refused = code;
    },
    offerTls: (isOffered: boolean) => {
      Object.assign(server.options, {
        hideSTARTTLS: !isOffered,
        disabledCommands: isOffered ? [] : ["STARTTLS"],
      });
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
