import { refuseInsideProgram } from "./platform/pdf-sandbox/sandbox-process.ts";
import { checkOpenFiles, makeFolder } from "./platform/settings/make-folder.ts";
import type { Settings } from "./platform/settings/settings.ts";

/**
 * Checks the machine and creates the settings' folders before the service's code loads, for a quick
 * refusal.
 * Errors: `SettingsError`.
 */
export async function checkMachine(settings: Settings): Promise<void> {
  checkOpenFiles();
  refuseInsideProgram(privatePlaces(settings));
  await makeFolder({ variable: "DATA_DIR", folder: settings.dataDir, example: "/var/lib/paraphe" });
  if (settings.checkpointDir !== null)
    await makeFolder({
      variable: "CHECKPOINT_DIR",
      folder: settings.checkpointDir,
      example: "/mnt/temoin/paraphe",
    });
  const archiveDir = archiveDirOf(settings);
  if (archiveDir !== null)
    await makeFolder({ variable: "WAL_ARCHIVE_DIR", folder: archiveDir, example: "/mnt/journaux" });
}

const archiveDirOf = ({ database }: Pick<Settings, "database">) =>
  database.kind === "embedded" ? database.archiveDir : null;

/** Places of secrets and people's files. */
function privatePlaces({
  dataDir,
  storage,
  storageFallback,
  tls,
  checkpointDir,
  database,
}: Settings) {
  const archiveDir = archiveDirOf({ database });
  return [
    { variable: "DATA_DIR", path: dataDir, example: "/var/lib/paraphe" },
    ...(storage.kind === "folder"
      ? [{ variable: "STORAGE_URL", path: storage.folder, example: "/var/lib/paraphe/files" }]
      : []),
    ...(storageFallback?.kind === "folder"
      ? [
          {
            variable: "STORAGE_FALLBACK_URL",
            path: storageFallback.folder,
            example: "/var/lib/paraphe/files",
          },
        ]
      : []),
    ...(tls.mode === "files"
      ? [{ variable: "TLS_KEY", path: tls.keyFile, example: "/etc/paraphe/cle.pem" }]
      : []),
    ...(archiveDir === null
      ? []
      : [{ variable: "WAL_ARCHIVE_DIR", path: archiveDir, example: "/mnt/journaux" }]),
    ...(checkpointDir === null
      ? []
      : [{ variable: "CHECKPOINT_DIR", path: checkpointDir, example: "/mnt/temoin/paraphe" }]),
  ];
}
