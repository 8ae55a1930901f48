import { isIP } from "node:net";
import { SettingsError } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** One French line: variable, fault, example; never the value, perhaps a secret. */
export function refuse(variable: string, fault: string, example: string): never {
  throw new SettingsError(
    `Réglage refusé\u00a0: ${variable} ${fault}. Exemple\u00a0: ${variable}=${example}`,
  );
}

export function readText(environment: Environment, variable: string): string | null {
  const text = environment[variable]?.trim();
  return text ? text : null;
}

export function readInteger(
  environment: Environment,
  variable: string,
  bounds: { fallback: number; minimum: number; maximum: number; example: string },
): number {
  const text = readText(environment, variable);
  if (text === null) return bounds.fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds.minimum && value <= bounds.maximum))
    refuse(
      variable,
      `doit être un nombre entier de ${bounds.minimum} à ${bounds.maximum}`,
      bounds.example,
    );
  return value;
}

export function readChoice<const T extends string>(
  environment: Environment,
  variable: string,
  rule: { choices: readonly T[]; fallback: T },
): T {
  const text = readText(environment, variable);
  if (text === null) return rule.fallback;
  const names = rule.choices.map((choice) => `«\u00a0${choice}\u00a0»`).join(", ");
  return (
    rule.choices.find((choice) => choice === text) ??
    refuse(variable, `doit valoir ${names}`, rule.fallback)
  );
}

export function readUrl(
  environment: Environment,
  variable: string,
  rule: { protocols: readonly string[]; example: string },
): string | null {
  const text = readText(environment, variable);
  if (text === null) return null;
  if (!URL.canParse(text)) refuse(variable, "n’est pas une adresse", rule.example);
  if (!rule.protocols.includes(new URL(text).protocol))
    refuse(
      variable,
      `doit commencer par ${rule.protocols.map((protocol) => `«\u00a0${protocol}//\u00a0»`).join(" ou ")}`,
      rule.example,
    );
  return text;
}

export function readHostAndPort(
  environment: Environment,
  variable: string,
  example: string,
): { host: string; port: number } | null {
  const text = readText(environment, variable);
  if (text === null) return null;
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port < 1 || port > 65_535)
    refuse(variable, "doit être une adresse suivie d’un port", example);
  return { host: bracketed ?? plain ?? "", port };
}

/** Accepts `Paraphe <no-reply@…>`; messages have their sender's name. */
export function readMailAddress(
  environment: Environment,
  variable: string,
  fallback: string,
): string {
  return mailAddressIn(readText(environment, variable) ?? fallback, variable);
}

/** Errors: `SettingsError` for anything else. */
export function mailAddressIn(written: string, variable: string): string {
  const text = /^[^<>]*<([^<>]*)>$/.exec(written)?.[1] ?? written;
  if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(text))
    refuse(variable, "n’est pas une adresse email", "signature@exemple.fr");
  return text;
}

export function readBase64Key(
  environment: Environment,
  variable: string,
  length: number,
): Uint8Array | null {
  const text = readText(environment, variable);
  if (text === null) return null;
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(text)
    ? Uint8Array.from(Buffer.from(text, "base64"))
    : new Uint8Array();
  if (bytes.length !== length)
    refuse(
      variable,
      `doit être ${length} octets en base64`,
      "le résultat de «\u00a0openssl rand -base64 32\u00a0»",
    );
  return bytes;
}

export function readAddressList(
  environment: Environment,
  variable: string,
  example: string,
): readonly string[] {
  const text = readText(environment, variable);
  if (text === null) return [];
  const addresses = text.split(",").map((part) => part.trim());
  for (const address of addresses) {
    const [ip = "", prefix] = address.split("/");
    const family = isIP(ip);
    const sound =
      family !== 0 &&
      (prefix === undefined ||
        (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)));
    if (!sound)
      refuse(
        variable,
        "doit être une liste d’adresses IP ou de plages, séparées par des virgules",
        example,
      );
  }
  return addresses;
}
