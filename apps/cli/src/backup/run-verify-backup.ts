import { fromHex, toHex } from "@paraphe/kernel/bytes";
import { plural } from "@paraphe/kernel/french-numbers";
import { hashOf } from "../../../server/src/platform/content-hash.ts";
import {
  AlteredFileError,
  MissingFileError,
} from "../../../server/src/platform/files/file-store.ts";
import type { Environment } from "../../../server/src/platform/settings/read-variable.ts";
import { CommandFault, misused, type Outcome } from "../outcome.ts";
import {
  type BackupTarget,
  linesOf,
  listBackups,
  type Manifest,
  NOTHING,
  openTarget,
  pathIn,
  readManifest,
  readParts,
  readUnwrapping,
  readWords,
  type Unwrapping,
} from "./backup-target.ts";
import { checkBase, listDump } from "./postgres-programs.ts";

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe verify-backup SAUVEGARDE [--backup NOM] [--identity FICHIER]",
  "",
  "Relit la dernière sauvegarde entière\u00a0: l’empreinte de chaque fichier, le manifeste, la base jusqu’à sa fin. Rien n’est changé, aucun service n’est demandé.",
  "--backup\u00a0: une autre que la dernière. --identity\u00a0: la clé privée age\u202f; sans elle, ce qui est chiffré n’est vérifié que tel qu’il est conservé.",
  "",
  "Code de sortie\u00a0: 0 tout est là et juste, 1 un défaut, ou la dernière sauvegarde a été coupée, 2 tout n’a pas pu être vérifié, 64 mauvais usage.",
];

const OPTIONS = { backup: { type: "string" }, identity: { type: "string" } } as const;
const AT_ONCE = 8;
const NAMED = 20;

/** Errors: `CommandFault`, `SettingsError`, outages. */
export async function runVerifyBackup(
  words: readonly string[],
  { environment, folder }: { readonly environment: Environment; readonly folder: string },
): Promise<Outcome> {
  const asked = readWords(words, OPTIONS);
  if (asked === null) return misused(USAGE);
  const target = await openTarget(asked.place, { environment, folder, service: null });
  const { whole, cut } = await listBackups(target);
  const manifest = await readManifest(target, asked.text("backup"));
  const unwrap = await readUnwrapping(manifest.recipient, pathIn(folder, asked.text("identity")));
  const faults = [
    ...(await databaseFaults(target, manifest, unwrap)),
    ...(await fileFaults(target, manifest, unwrap)),
  ];
  const isLastCut = (cut.at(-1) ?? "") > (whole.at(-1) ?? "");
  return {
    code: faults.length > 0 || isLastCut ? 1 : unwrap === null ? 2 : 0,
    lines: [
      ...cut.map(
        (id) => `La sauvegarde ${id} a été coupée avant sa fin\u00a0: elle ne se restaure pas.`,
      ),
      ...faults.slice(0, NAMED),
      ...(faults.length > NAMED
        ? [`Et ${plural(faults.length - NAMED, "autre défaut", "autres défauts")}.`]
        : []),
      ...(manifest.lost.length > 0
        ? [
            `${plural(manifest.lost.length, "fichier manquait", "fichiers manquaient")} déjà au service quand elle a été faite.`,
          ]
        : []),
      faults.length > 0
        ? `La sauvegarde ${manifest.id} est abîmée\u00a0: faites-en une autre ailleurs.`
        : unwrap === null
          ? `La sauvegarde ${manifest.id} est telle qu’elle a été écrite (${plural(manifest.list.files, "fichier")})\u202f; sans --identity, ce qu’elle contient n’a pas été lu.`
          : `La sauvegarde ${manifest.id} est entière et juste\u00a0: la base et ${plural(manifest.list.files, "fichier")}.`,
    ],
  };
}

async function databaseFaults(
  target: BackupTarget,
  { database }: Manifest,
  unwrap: Unwrapping | null,
): Promise<readonly string[]> {
  const parts = readParts(target.files, unwrap ?? NOTHING.unwrap, database.parts);
  try {
    if (unwrap === null) for await (const part of parts) void part;
    else if (database.kind === "base") await checkBase(parts);
    else await listDump(database.server, parts);
    return [];
  } catch (error) {
    return [`Base\u00a0: ${why(error)}`];
  }
}

async function fileFaults(
  target: BackupTarget,
  { list }: Manifest,
  unwrap: Unwrapping | null,
): Promise<readonly string[]> {
  const faults: string[] = [];
  let seen = 0;
  const lines = linesOf(readParts(target.files, NOTHING.unwrap, list.parts));
  const look = async () => {
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      const [name = "", stored = ""] = next.value.split(" ");
      seen += 1;
      try {
        const bytes = await target.files.get(fromHex(stored));
        if (unwrap !== null && toHex(hashOf(await unwrap(bytes))) !== name)
          throw new AlteredFileError("Another file");
      } catch (error) {
        faults.push(`Fichier ${name}\u00a0: ${why(error)}`);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, look));
  } catch (error) {
    return [...faults, `Liste des fichiers\u00a0: ${why(error)}`];
  }
  return seen === list.files
    ? faults
    : [...faults, `Liste des fichiers\u00a0: elle en nomme ${seen}, sur ${list.files}.`];
}

function why(error: unknown): string {
  if (error instanceof MissingFileError) return "il manque";
  if (error instanceof AlteredFileError) return "ses octets ont changé";
  if (error instanceof CommandFault) return error.message;
  if ((error as NodeJS.ErrnoException).code?.startsWith("Z_") === true)
    return "ses octets ont changé";
  throw error;
}
