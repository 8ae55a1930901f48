import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A tmpfs that can be filled and made read-only. */
export type SmallMedium = {
  readonly folder: string;
  fill(): void;
  makeRoom(): void;
  takeWrites(taken: boolean): void;
  close(): void;
};

/** Only root may mount. */
export const CAN_MOUNT = canMount();

function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), "paraphe-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", probe], { stdio: "ignore" });
    execFileSync("umount", [probe], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

/** Units: KiB. */
export function openSmallMedium(sizeKb: number): SmallMedium {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-medium-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKb}k`, "tmpfs", folder]);
  const ballast = join(folder, "lest");
  return {
    folder,
    fill() {
      const file = openSync(ballast, "w");
      try {
        for (;;) writeSync(file, new Uint8Array(1_024));
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => unlinkSync(ballast),
    takeWrites: (taken) =>
      void execFileSync("mount", ["-o", `remount,${taken ? "rw" : "ro"}`, folder]),
    close() {
      execFileSync("umount", [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
