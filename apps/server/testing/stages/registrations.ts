import type { TestApp } from "../app.ts";
import { type Answer, type TestBrowser, openBrowser } from "../browser.ts";
import { linkIn, mailFor } from "../mailbox.ts";

export const ORIGIN = "https://localhost:8443";

type Registrant = {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly birth_date: string;
};

/** Each person registers from their own network address. */
export type Registrations = {
  /** A unique name, address and password. */
  person<T extends Record<string, unknown>>(values?: T): Registrant & T;
  next(): number;
  browserAt(ip?: string): TestBrowser;
  register(body: unknown, ip?: string): Promise<Answer>;
  askReset(email: string, ip?: string): Promise<Answer>;
  activationLink(email: string): Promise<string>;
  resetLink(email: string): Promise<{ readonly uid: string; readonly token: string }>;
};

export function openRegistrations({
  app,
  platform,
}: Pick<TestApp, "app" | "platform">): Registrations {
  let count = 0;
  const next = () => (count += 1);
  const browserAt = (ip = `198.51.100.${next() % 250}`) => openBrowser(app, { ip });
  const newestLink = async (email: string, path: string) =>
    linkIn((await mailFor(platform, email))[0], `${ORIGIN}${path}`).slice(ORIGIN.length);
  return {
    next,
    browserAt,
    person(values) {
      const own = next();
      const names = {
        username: `zoe-${own}-o`,
        email: `zoe${own}@exemple.fr`,
        password: `cahier ligné ${own}`,
      };
      return {
        ...names,
        first_name: "Zoë",
        last_name: "Œuvrard",
        birth_date: "1988-02-29",
        ...values,
      } as never;
    },
    register: (body, ip) => browserAt(ip).post("/api/signature/register/", body),
    askReset: (email, ip) => browserAt(ip).post("/api/signature/password-reset/", { email }),
    activationLink: (email) => newestLink(email, "/api/signature/activate/"),
    async resetLink(email) {
      const [uid = "", token = ""] = (await newestLink(email, "/reset-password/"))
        .split("/")
        .slice(2);
      return { uid, token };
    },
  };
}
