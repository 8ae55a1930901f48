import { mkdtempSync, rmSync } from "node:fs";
import { type Socket, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ValidatorName, type Lines, SHARED_VALIDATORS, startValidator } from "./validators.ts";

/**
 * Starts one DSS and one pyHanko for a test run, at the first question. A JVM that has validated a
 * hundred files takes a tenth of the time for the next one. Two projects of one run share them.
 */
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
      // It ended: the callers see the connection close, and the next question starts another.
      if (validator === asked) validator = null;
      socket.destroy();
    }
  };
  const answerTo = (socket: Socket): void => {
    // One question of each file at a time: a file that asks a hundred does not hold the others up.
    let answered = Promise.resolve();
    createInterface({ input: socket }).on("line", (line) => {
      answered = answered.then(() => answer(socket, line));
    });
    // A test process that was ended takes its connection with it.
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
