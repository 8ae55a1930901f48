import { emailRequest, type MemberRole, registerProfile } from "@paraphe/contracts";
import { checkUsername, emailKey } from "./names.ts";

/** What a provider said of a person at a login. */
export type Vouched = {
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly email: string | null;
  readonly siret: string | null;
  /** Authentication context class (OpenID Connect Core 1.0 §2). */
  readonly acr: string | null;
};

export type Claims = Readonly<Record<string, unknown>>;

/**
 * A claim that is no plain name or address counts as none.
 * Source: OpenID Connect Core 1.0 §5.1; ProConnect (`usual_name`, `siret`).
 */
export function readVouched(claims: Claims): Vouched {
  const { first_name: name, last_name: family } = registerProfile.shape;
  const { shape } = emailRequest;
  const siret = textOf(claims["siret"])?.replace(/\s/g, "") ?? "";
  return {
    givenName: name.safeParse(claims["given_name"]).data ?? null,
    familyName: family.safeParse(claims["usual_name"] ?? claims["family_name"]).data ?? null,
    email:
      claims["email_verified"] === false
        ? null
        : (shape.email.safeParse(claims["email"]).data ?? null),
    siret: /^\d{14}$/.test(siret) ? siret : null,
    acr: textOf(claims["acr"]),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.length <= 200 ? value : null;
}

export function isInDomains(email: string, domains: readonly string[]): boolean {
  const key = emailKey(email);
  return domains.includes(key.slice(key.lastIndexOf("@") + 1));
}

/** The highest wins; owner is absent, as owners name each other. */
const CLAIMED_ROLES = ["administrator", "member", "reader"] as const;

/**
 * Gives the role of `paraphe-administrator`, `paraphe-member` or `paraphe-reader`, a text or in a
 * list, with or without a path of groups; null without one.
 */
export function claimedRole(claims: Claims, claim: string): MemberRole | null {
  const named = [claims[claim]].flat().map((one) => String(one).split("/").at(-1));
  return CLAIMED_ROLES.find((role) => named.includes(`paraphe-${role}`)) ?? null;
}

const LONGEST_USERNAME = 40;

/** Derives it from the address, else `compte`. */
export function usernameLike(email: string): string {
  const local = email.slice(0, email.lastIndexOf("@")).slice(0, LONGEST_USERNAME);
  const allowed = local.replace(/[^A-Za-z0-9._-]/g, ".").replace(/^[._-]+|[._-]+$/g, "");
  return allowed !== "" && checkUsername(allowed) === null ? allowed : "compte";
}
