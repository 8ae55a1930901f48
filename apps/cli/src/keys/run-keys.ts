import { readFile, writeFile } from "node:fs/promises";
import { formatDigits, formatLongDay } from "@paraphe/kernel/french-dates";
import { hastenRenewalsOf } from "../../../server/src/features/signing/public.ts";
import {
  type KeyFacts,
  type MadePurpose,
  REVOCATION_REASONS,
  type RevocationFault,
  type RevocationWord,
  type RootKeyFault,
  createTrust,
  exportRootKey,
  importRootKey,
  listKeys,
  removeRootKey,
  retireAnchor,
  revokeIssued,
  rotateAuthority,
  timestampAuthoritiesUnder,
} from "../../../server/src/features/trust/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import {
  type MasterKeyFault,
  rotateMasterKey,
} from "../../../server/src/platform/secrets/data-key.ts";
import { readBase64Key } from "../../../server/src/platform/settings/read-variable.ts";

export const PURPOSES: Readonly<Record<MadePurpose, string>> = {
  root: "racine",
  ca: "autorité de signature",
  tsa: "horodatage",
  ocsp: "répondeur OCSP",
  seal: "cachet du service",
};

export const FAULTS: Readonly<
  Record<RevocationFault | RootKeyFault | MasterKeyFault | "no_passphrase", string>
> = {
  root_key_away:
    "La clé de la racine n’est pas dans la base\u00a0: rapportez-la d’abord (import-root, avec le fichier de cette racine).",
  root_key_present: "La clé de la racine est déjà dans la base.",
  bad_passphrase:
    "Le fichier ne s’ouvre pas\u00a0: ROOT_KEY_PASSPHRASE est fausse, ou le fichier est abîmé. Rien n’a été changé.",
  other_key: "Ce fichier ne contient la clé d’aucune racine de ce service. Rien n’a été changé.",
  no_passphrase: "Donnez la phrase de passe dans ROOT_KEY_PASSPHRASE (12 caractères au moins).",
  no_new_master_key:
    "Donnez la nouvelle clé dans NEW_MASTER_KEY (32 octets en base64), puisque MASTER_KEY est donnée. Rien n’a été changé.",
  same_master_key: "NEW_MASTER_KEY est la clé actuelle. Rien n’a été changé.",
  unknown_serial: "Aucun certificat émis ici ne porte ce numéro de série.",
  own_root:
    "Ce numéro est celui d’une racine, que personne ne peut révoquer. Remplacez-la (rotate root), puis retirez l’ancienne des postes qui lui font confiance.",
  living_authority: "Cette autorité est en service\u00a0: remplacez-la d’abord (rotate).",
  already_revoked: "Ce certificat est déjà révoqué.",
};

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe keys <commande>",
  "  list                        montre chaque clé, en service ou retirée",
  "  rotate <root|ca|tsa|ocsp|seal>   remplace une clé, et celles qu’elle a certifiées",
  "  revoke <numéro de série> <raison>   révoque un certificat\u202f; raisons\u00a0: inconnue, compromission, changement, remplacement, cessation",
  "  export-root <fichier>       écrit la clé de la racine, chiffrée par ROOT_KEY_PASSPHRASE",
  "  remove-root <fichier>       retire la clé de la racine de la base, une fois ce fichier vérifié",
  "  import-root <fichier>       la rapporte",
  "  rotate-master               remplace la clé maîtresse (par NEW_MASTER_KEY quand MASTER_KEY est donnée)",
  "  trust-tsa                   retient la prochaine autorité d’horodatage rencontrée à TSA_URL",
];

const COLUMNS = [
  "Rôle",
  "Nom",
  "Numéro de série",
  "Valable",
  "État",
  "Clé",
  "Liste jusqu’au",
] as const;

const ORDER = [...Object.keys(PURPOSES), "hsm"];

function describeKeys(keys: readonly KeyFacts[]): readonly string[] {
  const ordered = [...keys].sort(
    (left, right) =>
      Number(left.retiredAt !== null) - Number(right.retiredAt !== null) ||
      ORDER.indexOf(left.purpose) - ORDER.indexOf(right.purpose),
  );
  const rows: readonly (readonly string[])[] = [COLUMNS, ...ordered.map(rowOf)];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function rowOf(key: KeyFacts): readonly string[] {
  return [
    key.purpose === "hsm" ? "cachet (HSM)" : PURPOSES[key.purpose],
    key.name,
    key.serialNumber,
    `${formatDigits(key.notBefore)} – ${formatDigits(key.notAfter)}`,
    stateOf(key),
    placeOf(key),
    key.listUntil === null ? "–" : formatDigits(key.listUntil),
  ];
}

/** Root keys are never destroyed, only offline. */
function placeOf({ purpose, hasKey }: KeyFacts): string {
  if (purpose === "hsm") return "dans le HSM";
  if (hasKey) return "dans la base";
  return purpose === "root" ? "hors ligne" : "détruite";
}

function stateOf({ revokedAt, retiredAt }: KeyFacts): string {
  if (revokedAt !== null) return `révoquée le ${formatDigits(revokedAt)}`;
  return retiredAt === null ? "en service" : `retirée le ${formatDigits(retiredAt)}`;
}

type KeysOutcome = { readonly code: 0 | 1 | 64; readonly lines: readonly string[] };
type Environment = Readonly<Record<string, string | undefined>>;
type Command = (
  platform: Platform,
  words: readonly string[],
  environment: Environment,
) => Promise<KeysOutcome>;

const MIN_PASSPHRASE_LENGTH = 12;
const done = (...lines: readonly string[]): KeysOutcome => ({ code: 0, lines });
const refused = (...lines: readonly string[]): KeysOutcome => ({ code: 1, lines });
const misused: KeysOutcome = { code: 64, lines: USAGE };

const COMMANDS: Readonly<Record<string, Command>> = {
  list: async (platform, words) =>
    words.length > 0 ? misused : done(...describeKeys(await listKeys(platform))),
  rotate,
  revoke,
  "export-root": exportRoot,
  "remove-root": removeRoot,
  "import-root": importRoot,
  "trust-tsa": trustTsa,
  "rotate-master": rotateMaster,
};

export async function runKeys(
  platform: Platform,
  [name = "", ...words]: readonly string[],
  environment: Environment,
): Promise<KeysOutcome> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return misused;
  await createTrust(platform);
  return command(platform, words, environment);
}

async function rotate(
  platform: Platform,
  [word = "", ...more]: readonly string[],
): Promise<KeysOutcome> {
  if (!Object.hasOwn(PURPOSES, word) || more.length > 0) return misused;
  const rotated = await rotateAuthority(platform, word as MadePurpose);
  if (!rotated.ok) return refused(FAULTS[rotated.error]);
  const isRootAway = (await listKeys(platform)).some(
    ({ purpose, retiredAt, hasKey }) => purpose === "root" && retiredAt !== null && !hasKey,
  );
  return done(
    ...rotated.value.map(({ purpose }) => `Remplacée\u00a0: ${PURPOSES[purpose as MadePurpose]}.`),
    "Les services en marche s’en servent d’ici une minute. Ce qui a été signé avant reste valide.",
    ...(word === "root"
      ? [
          "Une nouvelle racine est à faire connaître\u00a0: /pki/ca.pem la donne avec les anciennes.",
        ]
      : []),
    ...(word === "root" && isRootAway
      ? [
          "Une ancienne racine est hors ligne\u00a0: gardez son fichier. import-root la rapporte pour révoquer ce qu’elle a certifié, ou renouveler sa liste.",
        ]
      : []),
  );
}

async function revoke(
  platform: Platform,
  [serialNumber = "", word = "", ...more]: readonly string[],
): Promise<KeysOutcome> {
  if (serialNumber === "" || !Object.hasOwn(REVOCATION_REASONS, word) || more.length > 0)
    return misused;
  // A revoked authority's time-stamps prove nothing: documents get new ones first.
  const left = await hastenRenewalsOf(
    { platform },
    await timestampAuthoritiesUnder(platform, serialNumber),
  );
  if (left > 0) {
    return refused(
      `${left === 1 ? "1 document porte" : `${left} documents portent`} encore l’horodatage de cette autorité\u00a0: rien n’a été révoqué.`,
      "Leur renouvellement est demandé\u202f; le service en marche le fait dans l’heure. Relancez alors cette commande.",
      "Si cette autorité est encore en service, remplacez-la d’abord (rotate).",
    );
  }
  const revoked = await revokeIssued(platform, { serialNumber, reason: word as RevocationWord });
  if (!revoked.ok) return refused(FAULTS[revoked.error]);
  return done(
    `Révoqué\u00a0: ${revoked.value.subject}. La liste n° ${revoked.value.listNumber} de son émetteur est publiée.`,
    "Ce qui a été signé et horodaté avant reste valide.",
  );
}

async function exportRoot(
  platform: Platform,
  [path = "", ...more]: readonly string[],
  environment: Environment,
): Promise<KeysOutcome> {
  const passphrase = passphraseOf(environment);
  if (path === "" || more.length > 0) return misused;
  if (passphrase === null) return refused(FAULTS.no_passphrase);
  const file = await exportRootKey(platform, passphrase);
  if (!file.ok) return refused(FAULTS[file.error]);
  try {
    await writeFile(path, file.value, { flag: "wx", mode: 0o600 });
  } catch (error) {
    return refused(
      `Le fichier ne peut pas être écrit (${(error as NodeJS.ErrnoException).code}). Donnez le nom d’un fichier qui n’existe pas.`,
    );
  }
  return done(
    `La clé de la racine est dans ${path}, chiffrée par ROOT_KEY_PASSPHRASE. Gardez-les hors ligne, en deux endroits.`,
    "Elle est encore dans la base\u00a0: remove-root l’en retire, fichier en main.",
  );
}

async function removeRoot(
  platform: Platform,
  words: readonly string[],
  environment: Environment,
): Promise<KeysOutcome> {
  return withRootFile(words, environment, async (rootFile) => {
    const removed = await removeRootKey(platform, rootFile);
    if (!removed.ok) return refused(FAULTS[removed.error]);
    return done(
      "La clé de la racine n’est plus dans la base. Une sauvegarde plus ancienne la contient encore.",
      `Sa liste de révocation vaut jusqu’au ${formatLongDay(removed.value.listUntil)}\u00a0: rapportez la clé (import-root) avant cette date.`,
    );
  });
}

async function importRoot(
  platform: Platform,
  words: readonly string[],
  environment: Environment,
): Promise<KeysOutcome> {
  return withRootFile(words, environment, async (rootFile) => {
    const imported = await importRootKey(platform, rootFile);
    if (!imported.ok) return refused(FAULTS[imported.error]);
    return done(
      `La clé de la racine est de retour. Sa nouvelle liste de révocation vaut jusqu’au ${formatLongDay(imported.value.listUntil)}.`,
    );
  });
}

async function trustTsa(platform: Platform, words: readonly string[]): Promise<KeysOutcome> {
  const { tsaUrl } = platform.settings;
  if (words.length > 0) return misused;
  if (tsaUrl === null)
    return refused("TSA_URL n’est pas donné\u00a0: l’horodatage est fait par le service lui-même.");
  const wasKnown = await platform.db
    .transaction()
    .execute((trx) => retireAnchor(trx, platform, tsaUrl));
  if (!wasKnown)
    return refused(
      "Aucune autorité n’est encore retenue pour TSA_URL\u00a0: la première rencontrée le sera.",
    );
  return done(
    "L’autorité d’horodatage retenue jusqu’ici ne l’est plus\u202f; la prochaine rencontrée à TSA_URL le sera.",
    "Ce que l’ancienne a horodaté reste valide.",
  );
}

async function rotateMaster(
  platform: Platform,
  words: readonly string[],
  environment: Environment,
): Promise<KeysOutcome> {
  if (words.length > 0) return misused;
  const given = readBase64Key(environment, "NEW_MASTER_KEY", 32);
  const fault = await rotateMasterKey(platform, given);
  if (fault !== null) return refused(FAULTS[fault]);
  return done(
    platform.settings.masterKey === null
      ? "La clé maîtresse est remplacée, dans DATA_DIR/keys. Les services en marche continuent."
      : "La clé maîtresse est remplacée\u00a0: donnez NEW_MASTER_KEY pour MASTER_KEY au prochain démarrage. Les services en marche continuent.",
    "Codes imprimés, sessions et signatures restent valides. Une sauvegarde plus ancienne demande encore l’ancienne clé.",
  );
}

async function withRootFile(
  [path = "", ...more]: readonly string[],
  environment: Environment,
  work: (rootFile: { readonly file: string; readonly passphrase: string }) => Promise<KeysOutcome>,
): Promise<KeysOutcome> {
  const passphrase = passphraseOf(environment);
  if (path === "" || more.length > 0) return misused;
  if (passphrase === null) return refused(FAULTS.no_passphrase);
  const file = await readFile(path, "utf8").catch(() => null);
  return file === null
    ? refused("Le fichier de la clé ne peut pas être lu.")
    : work({ file, passphrase });
}

/** Every user can read a command line, not the environment. */
function passphraseOf(environment: Environment): string | null {
  const passphrase = environment.ROOT_KEY_PASSPHRASE ?? "";
  return passphrase.length < MIN_PASSPHRASE_LENGTH ? null : passphrase;
}
