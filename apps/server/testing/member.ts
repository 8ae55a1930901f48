import { randomUUID } from "node:crypto";
import { hash } from "@node-rs/argon2";
import { activate, insertAccount, markAddressConfirmed } from "../src/features/accounts/store.ts";
import { emailKey, usernameKey } from "../src/features/accounts/domain/names.ts";
import type { TestApp } from "./app.ts";
import { openBrowser, type TestBrowser } from "./browser.ts";
import type { TestPlatform } from "./platform.ts";

export const MEMBER_PASSWORD = "encre bleue 47";
/** Cheap to make and to verify at thousands of sign-ins. */
const passwordHash = hash(MEMBER_PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });

export type Member = {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
};
export type MemberValues = Partial<Omit<Member, "id">> & {
  readonly activated?: boolean;
  readonly confirmed?: boolean;
};

/** Activated and confirmed, with `MEMBER_PASSWORD`, unless `values` says otherwise. */
export async function createMember(
  platform: TestPlatform,
  values: MemberValues = {},
): Promise<Member> {
  const tag = randomUUID().slice(0, 8);
  const member = {
    id: platform.newId(),
    username: values.username ?? `camille.${tag}`,
    email: values.email ?? `camille.${tag}@exemple.fr`,
    firstName: values.firstName ?? "Camille",
    lastName: values.lastName ?? "Roux",
  };
  const now = platform.clock();
  await platform.db.transaction().execute(async (trx) => {
    await insertAccount(trx, {
      ...member,
      usernameKey: usernameKey(member.username),
      emailKey: emailKey(member.email),
      passwordHash: await passwordHash,
      profile: { firstName: member.firstName, lastName: member.lastName, birthDate: "1990-05-17" },
      now,
    });
    if (values.activated ?? true) await activate(trx, { id: member.id, now });
    if (values.confirmed ?? true)
      await markAddressConfirmed(trx, { id: member.id, emailKey: emailKey(member.email), now });
  });
  return member;
}

export async function signIn(
  test: Pick<TestApp, "app">,
  member: Pick<Member, "username">,
  options: { remember?: boolean; ip?: string } = {},
): Promise<TestBrowser> {
  const browser = openBrowser(test.app, options.ip === undefined ? {} : { ip: options.ip });
  const answer = await browser.post("/api/token/", {
    username: member.username,
    password: MEMBER_PASSWORD,
    remember_me: options.remember ?? false,
  });
  if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status}`);
  return browser;
}

/** Gives a browser in which a new member is signed in. */
export async function openMember(test: TestApp, values: MemberValues = {}): Promise<TestBrowser> {
  return signIn(test, await createMember(test.platform, values));
}
