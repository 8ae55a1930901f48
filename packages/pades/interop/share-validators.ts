import { mkdtempSync, rmSync } from "node:fs";
import { type Socket, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ValidatorName, type Lines, SHARED_VALIDATORS, startValidator } from "./validators.ts";

/** A JVM warmed by a hundred files takes a tenth of the time: two projects of one run share it. */
export async function setup(): Promise<(() => void) | undefined> {
  if (process.env[SHARED_VALIDATORS] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "paraphe-validators-"));
  const closings = await Promise.all(
    (["dss", "pyHanko"] as const).map((name) => share(name, join(folder, name))),
  );
  process.env[SHARED_VALIDATORS] = folder;
  return () => {
    delete process.env[SHARED_VALIDATORS];
    for (const close of closings) close();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function share(name: ValidatorName, path: string): Promise<() => void> {
  let validator: Lines | null = null;
  const answer = async (socket: Socket, line: string): Promise<void> => {
    const asked = validator ?? startValidator(name);
    validator = asked;
    try {
      socket.write(`${await asked.ask(line)}\n`);
    } catch {
      if (validator === asked) validator = null;
      socket.destroy();
    }
  };
  const answerTo = (socket: Socket): void => {
    // A file with a hundred questions does not delay the others.
    let answered = Promise.resolve();
    createInterface({ input: socket }).on("line", (line) => {
      answered = answered.then(() => answer(socket, line));
    });
    // An ended test process takes its connection with it.
    socket.on("error", () => socket.destroy());
  };
  const server = createServer(answerTo);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  server.unref();
  return () => {
    validator?.close();
    server.close();
  };
}
